/** How a client says who it is to an authorization server, in the one way that every server knows. */

/** RFC 6749 section 2.3.1: both parts are form-encoded before they are joined. */
export function basicCredentials(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((part) => new URLSearchParams([['', part]]).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}
