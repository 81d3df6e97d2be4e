import { packagesOf } from './installed-packages.mjs';

const lock = (packages) => ({ '': { dependencies: { a: '1' } }, ...packages });

describe('the packages of production', () => {
  it('are those that the workspace depends on, and theirs', () => {
    const packages = lock({
      'node_modules/a': { dependencies: { b: '1' } },
      'node_modules/b': {},
      'node_modules/dev': { dev: true },
    });
    expect(packagesOf(packages)).toEqual(['node_modules/a', 'node_modules/b']);
  });

  it('are looked for as Node does: nearest first', () => {
    const packages = lock({
      'node_modules/a': { dependencies: { b: '2', c: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/b': {},
      'node_modules/c': {},
    });
    expect(packagesOf(packages)).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c']);
  });

  it('are those of the projects that are named, too', () => {
    const packages = lock({ 'node_modules/a': {}, 'node_modules/b': {}, 'libs/kit': { dependencies: { b: '1' } } });
    expect(packagesOf(packages)).toEqual(['node_modules/a']);
    expect(packagesOf(packages, { projects: ['libs/kit', 'libs/none'] })).toEqual(['node_modules/a', 'node_modules/b']);
  });

  it('follow a circle once', () => {
    const packages = lock({
      'node_modules/a': { dependencies: { b: '1' } },
      'node_modules/b': { dependencies: { a: '1' } },
    });
    expect(packagesOf(packages)).toEqual(['node_modules/a', 'node_modules/b']);
  });

  it('include peers that are needed, and no optional ones', () => {
    const peers = { peerDependencies: { b: '1', c: '1' }, peerDependenciesMeta: { c: { optional: true } } };
    expect(packagesOf(lock({ 'node_modules/a': peers, 'node_modules/b': {}, 'node_modules/c': {} }))).toEqual([
      'node_modules/a',
      'node_modules/b',
    ]);
  });

  it('leave out what is only for building, what is not installed, and our own projects', () => {
    const packages = { '': { dependencies: { a: '1', build: '1', away: '1', own: '1' } }, 'node_modules/a': {} };
    const all = {
      ...packages,
      'node_modules/build': { dependencies: { x: '1' } },
      'node_modules/x': {},
      'node_modules/own': { link: true },
    };
    expect(packagesOf(all, { without: ['build'] })).toEqual(['node_modules/a']);
  });
});
