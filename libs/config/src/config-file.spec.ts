import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundhouseError } from '@roundhouse/errors';
import { CONFIG_FILE_BYTES_MAX, readConfigFile, readConfigText } from './config-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileWith(content: string | Uint8Array): string {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, content);
  return path;
}

function refusalOf(run: () => unknown): { reason: string; problems: string } {
  try {
    run();
  } catch (thrown) {
    const { code, reason, facts } = RoundhouseError.from(thrown);
    expect(code).toBe('config_invalid');
    return { reason, problems: String(facts['problems']) };
  }
  throw new Error('nothing was refused');
}

describe('reading the file', () => {
  it('names what set the path of another file, and not the path', () => {
    const { problems } = refusalOf(() => readConfigText(join(folder, 'absent.yaml'), 'policy.file'));
    expect(problems).toBe('names a file that cannot be read: ENOENT (policy.file)');
  });

  it('gives a section as plain data and the line of each key', () => {
    const file = readConfigFile(fileWith('replay:\n  a: 1\nrouter:\n  origins:\n    - x\n    - y\n'));
    expect(file.section('router')).toEqual({ origins: ['x', 'y'] });
    expect(file.lineOf(['router', 'origins'])).toBe(4);
    expect(file.lineOf(['router', 'origins', 1])).toBe(6);
    expect(file.lineOf(['router', 'absent'])).toBeUndefined();
  });

  it('follows the symbolic links with which Kubernetes mounts a ConfigMap', () => {
    const link = join(folder, 'link.yaml');
    symlinkSync(fileWith('router: { a: 1 }'), link);
    expect(readConfigFile(link).section('router')).toEqual({ a: 1 });
  });
});

describe('a file that cannot be read', () => {
  it('is refused when it does not exist, without its path', () => {
    const { reason, problems } = refusalOf(() => readConfigFile(join(folder, 'absent.yaml')));
    expect(reason).toBe('config_unreadable');
    expect(problems).toBe('names a file that cannot be read: ENOENT (ROUNDHOUSE_CONFIG_FILE)');
  });

  it('is refused when it is a folder', () => {
    expect(refusalOf(() => readConfigFile(folder)).problems).toContain('does not name a regular file');
  });

  it('is refused when it is a device', () => {
    expect(refusalOf(() => readConfigFile('/dev/zero')).problems).toContain('does not name a regular file');
  });

  it('is refused when it has one byte too many', () => {
    const { reason, problems } = refusalOf(() => readConfigFile(fileWith('#'.repeat(CONFIG_FILE_BYTES_MAX + 1))));
    expect(reason).toBe('config_unreadable');
    expect(problems).toContain('larger than 1048576 bytes');
  });

  it('is read when it has exactly as many bytes as allowed', () => {
    expect(readConfigFile(fileWith('#'.repeat(CONFIG_FILE_BYTES_MAX))).section('router')).toBeUndefined();
  });

  it('is refused when it is not UTF-8', () => {
    const { reason, problems } = refusalOf(() => readConfigFile(fileWith(Uint8Array.of(0x61, 0xff, 0xfe))));
    expect(reason).toBe('config_malformed');
    expect(problems).toContain('not UTF-8');
  });
});
