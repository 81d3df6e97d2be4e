/** A code, name or address that may be broken where its parts end, so that it fits a phone and is still read. */
import { html, type Html } from './html.js';

export function breakable(text: string): Html {
  const parts = text.split(/(?<=[_/:-])(?=[^_/:-])/);
  return html`${parts.map((part, at) => (at === 0 ? part : html`<wbr />${part}`))}`;
}
