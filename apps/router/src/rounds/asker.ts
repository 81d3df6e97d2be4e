/**
 * Puts the asking worker's display name before each question: the person sees only the router and must know who asks
 * (D-38).
 */
import type { Asks } from '@roundhouse/contracts';
import { setOwn } from '@roundhouse/protocol';

export function nameAsker(asks: Asks, asker: string | undefined): Asks {
  if (asker === undefined) return asks;
  const named: Asks = {};
  for (const [key, ask] of Object.entries(asks)) {
    const message = ask.params?.['message'];
    const shown = ask.method === 'elicitation/create' && typeof message === 'string';
    setOwn(named, key, shown ? { ...ask, params: { ...ask.params, message: `[${asker}] ${message}` } } : ask);
  }
  return named;
}
