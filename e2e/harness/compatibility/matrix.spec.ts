import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { scenarios } from '../../scenarios/compatibility.js';
import { CELLS, CLIENTS, CLIENT_IDS, DASHES, FEATURES, FEATURE_IDS, dashOf } from './matrix.js';

const DOCUMENT = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
const [header = [], , ...rows] = DOCUMENT.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));

describe('the table of compatibility', () => {
  it('has a column for each client and a row for each feature', () => {
    expect(header).toEqual(['', ...Object.values(CLIENTS)]);
    expect(rows.map(([feature]) => feature)).toEqual(Object.values(FEATURES));
  });

  it('names a scenario that there is in each cell, or has a dash whose reason stands below', () => {
    for (const [row, feature] of FEATURE_IDS.entries())
      for (const [column, client] of CLIENT_IDS.entries()) {
        const cell = rows[row]?.[column + 1] ?? '';
        const why = dashOf(feature, client);
        if (why === undefined) expect(scenarios.ids).toContain(/^`(.+)`$/.exec(cell)?.[1]);
        else expect([cell, DOCUMENT.includes(why)]).toEqual(['–', true]);
      }
  });

  it('names every scenario once', () => {
    const named = rows.flatMap((cells) => cells.flatMap((cell) => /^`(.+)`$/.exec(cell)?.[1] ?? []));
    expect([...named].sort()).toEqual([...scenarios.ids].sort());
    expect(new Set(scenarios.ids).size).toBe(CELLS.length);
  });

  it('leaves nothing untried', () => {
    expect(DOCUMENT).not.toMatch(/not tried/i);
    for (const cell of rows.flatMap((cells) => cells.slice(1))) expect(cell).not.toBe('');
  });

  it('has no reason for what is no dash', () => {
    for (const { features, clients } of DASHES)
      for (const feature of features)
        for (const client of clients) expect(CELLS.map(({ id }) => id)).not.toContain(`${feature}/${client}`);
  });
});
