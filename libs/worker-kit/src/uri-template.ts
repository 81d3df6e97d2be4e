/**
 * The variables of a URI under a resource template. The protocol library says which templates there are and which URIs
 * they cover; here each variable gets its part of the URI, decoded.
 */
import { resourceTemplateMatcher } from '@roundhouse/protocol';
import type { Variables } from './declarations.js';

interface Slot {
  readonly name: string;
  /** What follows the variable at once. */
  readonly literal: string;
  /** Whether the rest of a URI fits all that follows the variable. */
  readonly fitsRest: (rest: string) => boolean;
}

/**
 * A variable takes as little as the rest allows. A decoded value may hold any character, `/` included.
 * @throws TypeError for a template that cannot be matched
 */
export function variablesMatcher(uriTemplate: string): (uri: string) => Variables | undefined {
  const matches = resourceTemplateMatcher(uriTemplate);
  // Literals stand at even places, names at odd ones.
  const parts = uriTemplate.split(/\{\+?([^{}]*)\}/);
  const rests = uriTemplate.split(/\{[^{}]*\}/);
  const expressions = uriTemplate.match(/\{[^{}]*\}/g) ?? [];
  const slots = expressions.map((_, index): Slot => {
    const rest = rests.slice(index + 1).map((literal, at) => literal + (expressions[index + 1 + at] ?? ''));
    return {
      name: parts[2 * index + 1] ?? '',
      literal: rests[index + 1] ?? '',
      fitsRest: toRestMatcher(rest.join('')),
    };
  });
  return (uri) => (matches(uri) ? readVariables(uri, (rests[0] ?? '').length, slots) : undefined);
}

function readVariables(uri: string, start: number, slots: readonly Slot[]): Variables | undefined {
  const variables = new Map<string, string>();
  let place = start;
  for (const { name, literal, fitsRest } of slots) {
    let end = place + 1;
    while (end < uri.length && !(uri.startsWith(literal, end) && fitsRest(uri.slice(end)))) end += 1;
    const value = decode(uri.slice(place, end));
    if (value === undefined) return undefined;
    variables.set(name, value);
    place = end + literal.length;
  }
  return Object.fromEntries(variables);
}

/** A template must begin with a scheme; a letter before template and rest makes the end of one into one. */
function toRestMatcher(rest: string): (rest: string) => boolean {
  const matches = resourceTemplateMatcher(`x${rest}`);
  return (uri) => matches(`x${uri}`);
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
