/**
 * Which URIs a resource template covers: RFC 6570 as far as level 1, and `{+name}` of level 2. Templates come from
 * workers and URIs from clients, so matching keeps the set of places where each piece may end instead of backtracking:
 * its time is the length of the URI times the pieces of the template.
 */
import { TEMPLATE_VARIABLES_MAX, URI_CHARS_MAX } from '../limits.js';

type Piece = { readonly literal: string } | { readonly spansSlash: boolean };

const EXPRESSION = /^(\+?)[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/;
/** A literal begins with the scheme or follows an expression, and holds what a URI may hold. */
const LITERAL = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/** @returns why this is no template that we can match, in words; undefined when it is one. */
export function checkUriTemplate(uriTemplate: unknown): string | undefined {
  if (typeof uriTemplate !== 'string' || uriTemplate === '') return 'uriTemplate is not a string';
  if (uriTemplate.length > URI_CHARS_MAX) return 'uriTemplate is too long';
  if (!/^[A-Za-z{]/.test(uriTemplate)) return 'uriTemplate does not begin with a scheme';
  const pieces = parseTemplate(uriTemplate);
  if (!pieces) return 'uriTemplate uses more of RFC 6570 than {name} and {+name}, or is malformed';
  const variables = pieces.filter((piece) => 'spansSlash' in piece).length;
  return variables > TEMPLATE_VARIABLES_MAX ? 'uriTemplate has too many variables' : undefined;
}

/**
 * A test for the URIs of a template. `{name}` stands for one or more characters other than `/`, `{+name}` for one or
 * more characters.
 * @throws TypeError for a template that `checkUriTemplate` refuses.
 */
export function resourceTemplateMatcher(uriTemplate: string): (uri: string) => boolean {
  const reason = checkUriTemplate(uriTemplate);
  const pieces = parseTemplate(uriTemplate);
  if (reason !== undefined || !pieces) throw new TypeError(reason);
  return (uri) => {
    if (uri.length > URI_CHARS_MAX) return false;
    let places: readonly number[] = [0];
    for (const piece of pieces) {
      places =
        'literal' in piece ? afterLiteral(uri, places, piece.literal) : afterVariable(uri, places, piece.spansSlash);
      if (places.length === 0) return false;
    }
    return places.at(-1) === uri.length;
  };
}

function parseTemplate(uriTemplate: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  // Splitting on an expression in braces leaves literals at even places and expressions at odd ones.
  for (const [at, part] of uriTemplate.split(/\{([^{}]*)\}/).entries()) {
    if (at % 2 === 0) {
      if (!LITERAL.test(part)) return undefined;
      if (part !== '') pieces.push({ literal: part });
      continue;
    }
    const operator = EXPRESSION.exec(part)?.[1];
    if (operator === undefined) return undefined;
    pieces.push({ spansSlash: operator === '+' });
  }
  return pieces;
}

/** Both take and return places in rising order. */
function afterLiteral(uri: string, places: readonly number[], literal: string): number[] {
  return places.filter((place) => uri.startsWith(literal, place)).map((place) => place + literal.length);
}

function afterVariable(uri: string, places: readonly number[], spansSlash: boolean): number[] {
  const ends: number[] = [];
  let isOpen = false;
  let next = 0;
  for (let at = places[0] ?? uri.length; at <= uri.length; at += 1) {
    if (!spansSlash && uri.charAt(at - 1) === '/') isOpen = false;
    if (isOpen) ends.push(at);
    if (places[next] !== at) continue;
    isOpen = true;
    next += 1;
  }
  return ends;
}
