/**
 * Strict base64url (RFC 4648 section 5, no padding): one byte string has exactly one spelling.
 */

/**
 * The bytes, or undefined for anything but the canonical spelling. Node's decoder takes padding, white space, `+/` and
 * loose trailing bits, each of which would give one sealed state many spellings, so the result is encoded again.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
