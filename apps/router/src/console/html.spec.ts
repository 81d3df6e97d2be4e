import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Html, html } from './html.js';

describe('a piece of HTML', () => {
  it('holds its own text as it stands and everything else escaped', () => {
    expect(String(html`<b title="${'"'}">${'<i>&'}</b>`)).toBe('<b title="&quot;">&lt;i&gt;&amp;</b>');
  });

  it('holds other pieces as they are', () => {
    const each = ['<', '>'].map((text) => html`<li>${text}</li>`);
    expect(String(html`<b>${each}</b>`)).toBe('<b><li>&lt;</li><li>&gt;</li></b>');
  });

  it('shows nothing for what is not there, and a zero for zero', () => {
    expect(String(html`[${undefined}${false}${0}${''}${[]}]`)).toBe('[0]');
  });

  it('takes nothing for a piece that only looks like one', () => {
    const posing = { toString: () => '<script>' } as unknown as Html;
    expect(() => String(html`${posing}`)).toThrow();
    expect(Object.setPrototypeOf({}, Html.prototype) instanceof Html).toBe(true);
    expect(() => String(html`${Object.setPrototypeOf({}, Html.prototype) as Html}`)).toThrow();
  });

  it('lets no text end its element or its attribute', () => {
    const text = fc.string({ unit: fc.constantFrom(...'<>&"\'`/=! abc-'.split('')), maxLength: 40 });
    fc.assert(
      fc.property(text, (value) => {
        const shown = String(html`<p title="${value}">${value}</p>`);
        const inner = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(shown);
        expect(inner).not.toBeNull();
        expect(unescape(inner?.[2] ?? '')).toBe(value);
      }),
    );
  });
});

function unescape(text: string): string {
  const back: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", '#96': '`' };
  return text.replace(/&([a-z0-9#]+);/g, (_all, name: string) => back[name] ?? '');
}
