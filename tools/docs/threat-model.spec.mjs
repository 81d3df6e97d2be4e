import { existsSync, readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/threat-model.md', import.meta.url);
/** Of a spec, of the suite that every claim store runs, or of a scenario. */
const CITATION = /\[[^\]]+\]\(([^)]+(?:\.spec\.m?[jt]s|\.contract\.ts|e2e\/scenarios\/[\w-]+\.ts))\) "([^"]+)"/g;

const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!threat |---)/.test(line))
  .map((line) => [line.split(' | ')[0].slice(2), line]);

describe('the threat model', () => {
  it('has threats', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows)('shows what meets this: %s', (_threat, line) => {
    const citations = [...line.matchAll(CITATION)];
    expect(citations).not.toHaveLength(0);
    for (const [, path, name] of citations) {
      const spec = new URL(path, PAGE);
      expect({ path, exists: existsSync(spec) }).toEqual({ path, exists: true });
      expect(readFileSync(spec, 'utf8')).toMatch(new RegExp(`['\`]${escaped(name)}['\`]`));
    }
  });
});

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
