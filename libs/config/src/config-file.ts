/**
 * Reads a file of settings, such as the one that `ROUNDHOUSE_CONFIG_FILE` names, up to a limit and nothing but a regular file, and tells neither its
 * path nor its content when it refuses.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { configError, placeOfLine } from './config-problem.js';
import { parseConfigText, type ConfigText } from './config-text.js';

export const CONFIG_FILE_ENV = 'ROUNDHOUSE_CONFIG_FILE';
/** Largest file in bytes: what a Kubernetes ConfigMap can hold. */
export const CONFIG_FILE_BYTES_MAX = 1024 * 1024;

/** @throws RoundhouseError `config_invalid`: `config_unreadable` or `config_malformed` */
export function readConfigFile(path: string): ConfigText {
  return parseConfigText(readConfigText(path, CONFIG_FILE_ENV));
}

/**
 * The text of the file, not yet parsed. `place` is where its path was set, which an error names instead of the path.
 * @throws RoundhouseError `config_invalid`: `config_unreadable` or `config_malformed`
 */
export function readConfigText(path: string, place: string): string {
  return toText(readBytes(path, place));
}

function readBytes(path: string, place: string): Buffer {
  let descriptor: number | undefined;
  try {
    // Non-blocking, because opening a pipe by mistake would otherwise wait for a writer for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw unreadable('does not name a regular file', place);
    const bytes = Buffer.alloc(CONFIG_FILE_BYTES_MAX + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length > CONFIG_FILE_BYTES_MAX)
      throw unreadable(`names a file larger than ${CONFIG_FILE_BYTES_MAX} bytes`, place);
    return bytes.subarray(0, length);
  } catch (thrown) {
    if (!isErrno(thrown)) throw thrown;
    throw unreadable(`names a file that cannot be read: ${thrown.code}`, place);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw configError('config_malformed', [{ path: [], rule: 'the file is not UTF-8', place: placeOfLine(1) }]);
  }
}

function unreadable(rule: string, place: string) {
  return configError('config_unreadable', [{ path: [], rule, place }]);
}

/** An error of the operating system; RoundhouseError has no `errno`. */
function isErrno(thrown: unknown): thrown is { code: string } {
  return typeof thrown === 'object' && thrown !== null && 'errno' in thrown && 'code' in thrown;
}
