/** The protocol revisions by name. Which era a request belongs to is the router's decision. */

/** The stateless revision with a `_meta` envelope on every request. */
export const MODERN_REVISION = '2026-07-28';

/** What `supportedVersions` and the data of -32022 list: modern revisions only, since the others need `initialize`. */
export const SERVED_REVISIONS: readonly string[] = Object.freeze([MODERN_REVISION]);
