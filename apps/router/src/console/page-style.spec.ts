import { describe, expect, it } from '@jest/globals';
import { PAGE_STYLE } from './page-style.js';

/** WCAG 2.2, 1.4.3: contrast of text. */
const CONTRAST_MIN = 4.5;

const SCHEMES = { light: coloursOf(PAGE_STYLE.split('@media')[0] ?? ''), dark: coloursOf(darkBlock()) };
const TEXT = ['ink', 'soft', 'accent', 'ok', 'warn', 'bad'];

function darkBlock(): string {
  return /@media \(prefers-color-scheme: dark\) \{([\s\S]*?\n {2}\})/.exec(PAGE_STYLE)?.[1] ?? '';
}

function coloursOf(block: string): Record<string, string> {
  return Object.fromEntries([...block.matchAll(/--([a-z-]+): (#[0-9a-f]+)/g)].map(([, name, value]) => [name, value]));
}

function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe.each(Object.entries(SCHEMES))('in %s colours', (_name, colours) => {
  it.each(TEXT.flatMap((text) => ['card', 'page'].map((ground) => [text, ground])))(
    'text in %s is read on %s',
    (text = '', ground = '') => {
      expect(contrast(colours[text] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(CONTRAST_MIN);
    },
  );

  it.each([
    ['ink', 'ok-wash'],
    ['ok', 'ok-wash'],
    ['warn', 'warn-wash'],
    ['ink', 'bad-wash'],
    ['bad', 'bad-wash'],
    ['warn', 'bad-wash'],
  ])('text in %s is read on %s', (text, ground) => {
    expect(contrast(colours[text] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(CONTRAST_MIN);
  });
});

it('loads nothing', () => {
  expect(PAGE_STYLE).not.toMatch(/url\(|@import|@font-face/);
});
