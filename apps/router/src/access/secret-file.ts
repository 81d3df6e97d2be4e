/** Reads a secret from the file an operator named, each time it is needed: secrets change while a process runs. */
import { readFile } from 'node:fs/promises';
import { RoundhouseError } from '@roundhouse/errors';

/** Longer secrets are other files. */
const SECRET_CHARS_MAX = 4_096;

/** Without the line break that editors and tools add. @throws RoundhouseError `authorization_unavailable` */
export async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '' || secret.length > SECRET_CHARS_MAX)
    throw new RoundhouseError('authorization_unavailable', {
      reason: 'config_unreadable',
      facts: { setting: 'clientSecretFile' },
      retryAfterS: 5,
    });
  return secret;
}
