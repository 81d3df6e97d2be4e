/**
 * Tells key material that cannot be the output of a random generator. Catches placeholders, passphrases and published
 * keys; a wrong alarm on 32 truly random bytes is less likely than one in 10^12.
 */
import { hash } from 'node:crypto';

/** 32 random bytes hold about 30 different values. */
const DISTINCT_BYTES_MIN = 16;

/** Words that people hash with SHA-256 "to get a key", and the AES-256 key printed in NIST SP 800-38A. */
const HASHED_PLACEHOLDERS = [
  '',
  'secret',
  'password',
  'changeme',
  'default',
  'default-insecure-seed',
  'test',
  'roundhouse',
];
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...HASHED_PLACEHOLDERS.map((word) => hash('sha256', word, 'hex')),
  '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
]);

/** The rule that this material breaks, or undefined when none. */
export function findWeakness(material: Buffer): string | undefined {
  if (new Set(material).size < DISTINCT_BYTES_MIN) return 'has too few different bytes';
  if (new Set(stepsOf(material)).size < DISTINCT_BYTES_MIN) return 'is a sequence';
  if (material.subarray(0, 16).equals(material.subarray(16))) return 'repeats itself';
  if (material.every((byte) => byte >= 0x20 && byte <= 0x7e)) return 'is text, not random bytes';
  if (KNOWN_KEYS.has(material.toString('hex'))) return 'is a published default';
  return undefined;
}

function stepsOf(material: Buffer): number[] {
  return Array.from(material.subarray(1), (byte, at) => (byte - material[at]!) & 0xff);
}
