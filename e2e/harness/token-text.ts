/** Access tokens as the text that they are: what their header says, and copies that differ in one place. */

export function keyIdOf(token: string): unknown {
  return readPart(token, 0)['kid'];
}

/** Names a key that nobody has; the signature stays. */
export function withOtherKey(token: string): string {
  return withPart(token, 0, { kid: 'nobody-knows' });
}

/** Is about somebody else; the signature stays. */
export function withOtherSubject(token: string): string {
  return withPart(token, 1, { sub: 'root' });
}

function withPart(token: string, at: number, members: object): string {
  const changed = Buffer.from(JSON.stringify({ ...readPart(token, at), ...members })).toString('base64url');
  return token
    .split('.')
    .map((part, place) => (place === at ? changed : part))
    .join('.');
}

function readPart(token: string, at: number): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
