/** The store that the configuration names. The address of Redis may hold a password: it is read here and never shown. */
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { RoundhouseError } from '@roundhouse/errors';
import { MemoryClaimStore, RedisClaimStore, type ClaimStore } from '@roundhouse/replay-claim';
import type { StoreConfig } from './config.js';

/** Injection token of the `ClaimStore`. */
export const CLAIM_STORE = Symbol('claim-store');

/** @throws RoundhouseError `config_invalid` when the file cannot be read or the address is none */
export async function openStore({ kind, url, urlFile, commandTimeoutMs }: StoreConfig): Promise<ClaimStore> {
  if (kind === 'memory') return new MemoryClaimStore();
  const logger = new Logger('store');
  return RedisClaimStore.open({
    readUrl: () => (urlFile === undefined ? (url ?? '') : readUrlFile(urlFile)),
    commandTimeoutMs,
    onOutage: (failure) => logger.warn(`Redis is out of reach (${failure}); claims are refused until it is back`),
  });
}

function readUrlFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new RoundhouseError('config_invalid', {
      reason: 'config_unreadable',
      facts: { problems: `replay.store.urlFile: names a file that cannot be read: ${code}`, problemCount: 1 },
    });
  }
}
