export { checkClaims, FLOW_LIFE_MS_DEFAULT, type ExpectedClaims } from './check-claims.js';
export { argumentsDigest, isSameDigest, principalDigest, type DigestedPrincipal } from './claim-digests.js';
export { decodeClaims, encodeClaims, type Earlier, type FlowClaims, type SealedAsk } from './flow-claims.js';
export { CLOCK_SKEW_MS, mayStillOpen, PROPAGATION_MS, STATE_LIFE_MS_DEFAULT } from './key-lifetimes.js';
export { Keyset, type KeyRole } from './keyset.js';
export {
  KEYSET_POLL_MS_DEFAULT,
  KeysetFile,
  readKeysetText,
  type KeysetFileOptions,
  type KeysetReload,
} from './keyset-file.js';
export {
  KEYSET_REPORT_CHARS_MAX,
  KEYSET_REPORT_PATH,
  parseKeysetReport,
  reportKeyset,
  type KeysetReport,
} from './keyset-report.js';
export {
  createKeyset,
  createKeysetEntry,
  formatKeyset,
  KEYSET_CHARS_MAX,
  parseKeyset,
  type KeysetEntry,
} from './parse-keyset.js';
export { PURPOSES, SealingKey, type Purpose, type SealingKeyFields } from './sealing-key.js';
export {
  claimedKid,
  SEALED_BYTES_DEFAULT,
  SEALED_BYTES_HARD_MAX,
  StateSealer,
  sealedChars,
  type Opened,
  type StateSealerOptions,
} from './state-sealer.js';
export { openXaes, sealXaes, XAES_KEY_BYTES, XAES_NONCE_BYTES, XAES_TAG_BYTES, XaesKey } from './xaes-256-gcm.js';
