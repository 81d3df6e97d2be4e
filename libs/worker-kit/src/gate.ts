/** The part of a catalogue entry that the router enforces before it calls. */
import type { CatalogueEntry } from '@roundhouse/contracts';
import type { Gate } from './declarations.js';

export function toGate({
  requiredScopes,
  timeoutMs,
  needs,
}: Gate): Pick<CatalogueEntry, 'requiredScopes' | 'timeoutMs' | 'needs'> {
  return {
    ...(requiredScopes && { requiredScopes: [...requiredScopes] }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(needs && { needs: { ...needs } }),
  };
}
