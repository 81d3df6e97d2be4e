/** A state by its shape, beside its word and its colour: nobody has to tell red from green. */
import { Html } from './html.js';

export type Tone = 'ok' | 'warn' | 'bad' | 'idle';

const SHAPES: Readonly<Record<Tone, string>> = {
  ok: '<circle cx="8" cy="8" r="5.500"/>',
  warn: '<path d="M8 1.800 15 14H1z"/>',
  bad: '<path d="m8 1 7 7-7 7-7-7z"/>',
  idle: '<circle cx="8" cy="8" r="4.500" fill="none" stroke="currentColor" stroke-width="2"/>',
};

export function glyph(tone: Tone): Html {
  return Html.verbatim(`<svg class="glyph" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[tone]}</svg>`);
}
