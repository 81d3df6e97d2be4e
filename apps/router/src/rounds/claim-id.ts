/**
 * Which claim a state's answers will be made on. It follows from what is sealed, so that the router that seals a state
 * knows the bucket, and its epoch, before anybody answers.
 */
import { createHash } from 'node:crypto';

/** A cancellation spends nothing: it is claimed beside the answer, not instead of it. */
export type ClaimKind = 'answer' | 'cancel';

/** `principal` is the digest in the claims, salted with the flow. */
export function claimIdOf(state: { readonly principal: string; readonly nonce: string }, kind: ClaimKind): string {
  return digestOf(['claim', state.principal, state.nonce, kind]);
}

/** SHA-256 in base64url, length-prefixed, so that no two lists meet. */
export function digestOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('base64url');
}
