// What is in an image of ours over its base, as CycloneDX: every package of the lockfile that was copied into it, with its
// licence and the hash by which npm knew it, and the projects of this workspace. The same sources give the same text.
// npm sbom is no help here: without development it leaves out what development also uses, such as zod.
// Usage: node tools/bill-of-materials.mjs --app router [--digest sha256:...] [--out <file>]
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { contentOf, IMAGES, readJson } from './image-content.mjs';
import { readArguments } from './usage.mjs';

/** Where in the image a package is. */
export const PATH_PROPERTY = 'cdx:npm:package:path';
const SPEC = '1.6';

/** @param {{ app: string, digest?: string | undefined }} image digest: of its manifest, where it is known */
export function billOfMaterials({ app, digest }) {
  const { projects, packages } = contentOf(app);
  const lock = readJson('package-lock.json').packages;
  const { name, version, license } = readJson('package.json');
  const components = [
    ...projects.map((path) => componentOf(path, readJson(`${path}/package.json`), { license, version })),
    ...packages.map((path) => componentOf(path, lock[path])),
  ];
  const image = {
    ...{ type: 'container', 'bom-ref': `image:${app}`, name: `${name}/${app}`, version },
    licenses: licensesOf(license),
    ...(digest !== undefined && { hashes: [{ alg: 'SHA-256', content: digest.replace('sha256:', '') }] }),
  };
  const content = { bomFormat: 'CycloneDX', specVersion: SPEC, version: 1, metadata: { component: image }, components };
  return {
    $schema: `http://cyclonedx.org/schema/bom-${SPEC}.schema.json`,
    serialNumber: serialOf(content),
    ...content,
  };
}

/** Installed under another name or not, a package is what its own name says. */
function componentOf(path, { name = nameAt(path), version, license, integrity }, ours) {
  const [scope, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const actual = ours?.version ?? version;
  const hash = integrity === undefined ? undefined : hashOf(integrity);
  return {
    ...{ type: 'library', 'bom-ref': path, ...(scope !== undefined && { group: scope }), name: plain, version: actual },
    ...(hash !== undefined && { hashes: [hash] }),
    ...((license ?? ours?.license) && { licenses: licensesOf(license ?? ours.license) }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${actual}`,
    properties: [{ name: PATH_PROPERTY, value: path }],
  };
}

const nameAt = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** An id of the SPDX list, or an expression over such. */
function licensesOf(license) {
  return [/\s/.test(license) ? { expression: license } : { license: { id: license } }];
}

function hashOf(integrity) {
  const [algorithm, base64] = integrity.split(' ')[0].split('-');
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(base64, 'base64').toString('hex'),
  };
}

/** A name for exactly this content, in the form of a UUID of version 8. */
function serialOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();

function main() {
  const { values } = readArguments({
    options: { app: { type: 'string' }, digest: { type: 'string' }, out: { type: 'string' } },
    usage: `
Usage: node tools/bill-of-materials.mjs --app <app> [--digest <sha256:...>] [--out <file>]

Prints, or writes into the file, what the image of the app holds over its base, as CycloneDX ${SPEC} JSON. The app is one of
${IMAGES.join(', ')}.
`,
  });
  const { app, digest, out } = values;
  if (!IMAGES.includes(app) || (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))) {
    process.stderr.write('--app is needed, and --digest is sha256: and 64 digits; --help tells more\n');
    process.exit(2);
  }
  const text = `${JSON.stringify(billOfMaterials({ app, digest }), undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else writeFileSync(out, text);
}
