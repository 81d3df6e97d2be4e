// A list that leaves something out is worse than none: it is held against what an image really gets.
import { spawnSync } from 'node:child_process';
import { ROOT } from './child.mjs';
import { billOfMaterials, PATH_PROPERTY } from './bill-of-materials.mjs';
import { contentOf, IMAGES, readJson } from './image-content.mjs';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const pathOf = ({ properties }) => properties.find(({ name }) => name === PATH_PROPERTY).value;
const named = (app, name) => billOfMaterials({ app }).components.find((component) => component.name === name);

describe.each(IMAGES)('the bill of materials of %s', (app) => {
  const { components } = billOfMaterials({ app });

  it('names every package and project that is copied into the image, and nothing else', () => {
    const { packages, projects } = contentOf(app);
    expect(packages.length).toBeGreaterThan(20);
    expect(components.map(pathOf).sort()).toEqual([...packages, ...projects].sort());
  });

  it('gives each a version, a licence, an address, and each package the hash of the lockfile', () => {
    for (const { name, version, licenses, purl, hashes, properties } of components) {
      expect({ name, version, licenses }).toEqual({
        name: expect.stringMatching(/^[^@/]+$/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        licenses: [expect.anything()],
      });
      expect(purl).toMatch(/^pkg:npm\/(%40[^@/]+\/)?[^@/]+@\d/);
      const isPackage = pathOf({ properties }).startsWith('node_modules/');
      expect(hashes?.[0].content.length).toBe(isPackage ? 128 : undefined);
    }
  });

  it('calls no two parts the same', () => {
    const refs = components.map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
  });
});

describe('a bill of materials', () => {
  it('has what production shares with development, and nothing of development alone', () => {
    expect(named('router', 'zod').version).toBe(readJson('package-lock.json').packages['node_modules/zod'].version);
    for (const name of ['jest', 'eslint', 'typescript']) expect(named('standalone', name)).toBeUndefined();
  });

  it('keeps the compiler out, which is no part of an image', () => {
    const groups = billOfMaterials({ app: 'standalone' }).components.map(({ group }) => group);
    expect(groups).toContain('@nestjs');
    expect(groups).not.toContain('@swc');
  });

  it('writes a hash as the format does, in hexadecimal', () => {
    const { integrity } = readJson('package-lock.json').packages['node_modules/zod'];
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    expect(named('router', 'zod').hashes).toEqual([{ alg: 'SHA-512', content }]);
  });

  it('is the same for the same sources, and another for another image', () => {
    const serial = (image) => billOfMaterials(image).serialNumber;
    expect(serial({ app: 'router', digest: DIGEST })).toBe(serial({ app: 'router', digest: DIGEST }));
    expect(serial({ app: 'router' })).not.toBe(serial({ app: 'replay' }));
    expect(serial({ app: 'router' })).not.toBe(serial({ app: 'router', digest: DIGEST }));
    expect(serial({ app: 'router' })).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('names the image, by its digest where that is known', () => {
    expect(billOfMaterials({ app: 'router', digest: DIGEST }).metadata.component).toMatchObject({
      type: 'container',
      name: 'roundhouse/router',
      hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
    });
    expect(billOfMaterials({ app: 'router' }).metadata.component.hashes).toBeUndefined();
  });
});

it.each([[[]], [['--app', 'keys']], [['--app', 'router', '--digest', 'latest']]])('refuses %j', (args) => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/bill-of-materials.mjs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toContain('--app');
});
