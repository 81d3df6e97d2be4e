/**
 * Builds every image twice, starts each one as production would, and makes a round trip through the containers. Usage:
 * npm run images [-- --json].
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { secretWatch } from '../harness/secret-watch.js';
import { OUT } from '../harness/workspace.js';
import { writeBillOfMaterials } from './bill-of-materials.js';
import { buildImages, type BuiltImage, type ImageApp } from './built-images.js';
import { measureHeaps } from './heap.js';
import { inspect, problemsOfContainer, problemsOfImage, type ContainerFinding } from './judge.js';
import { removeWithMounts } from './mounts-below.js';
import { ensurePrograms } from './programs.js';
import { ContainerSystem } from './system.js';
import { UnpackedImages } from './unpacked-images.js';

/** The archives stay here. */
const ARCHIVES = join(OUT, 'images');
/** Emptied at the start and at the end. */
const WORK = join(ARCHIVES, 'work');
const LOGS = join(ARCHIVES, 'run');
const MB = 1e6;

const isJson = process.argv.includes('--json');
const problems: string[] = [];
const print = (line: string): void => void process.stdout.write(`${line}\n`);

// What was started is killed when this process exits; a signal must therefore end it through exit.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
process.setMaxListeners(64);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  await ensurePrograms();
  for (const folder of [WORK, LOGS]) await removeWithMounts(folder);
  for (const folder of [WORK, LOGS]) mkdirSync(folder, { recursive: true });
  const built = await buildImages(ARCHIVES, WORK, print);
  const images = new UnpackedImages(join(WORK, 'unpacked'));
  for (const { app, archive } of built) await images.add(app, archive);
  const sizes = built.map((image) => reportImage(image, images));
  for (const { app, archive } of built) await reportBill(app, { digest: archive.digest, images });
  const { starts, roundTrip } = await tryOut(images);
  const { heaps, problems: heapProblems } = measureHeaps(LOGS, images);
  problems.push(...heapProblems);
  for (const { limitMiB, heapMiB } of heaps) print(`heap  ${heapMiB} MiB of a limit of ${limitMiB} MiB`);
  await removeWithMounts(WORK);
  for (const problem of problems) print(`FAIL ${problem}`);
  print(`${built.length} images, ${starts.length} containers, ${problems.length} failed`);
  if (isJson) print(JSON.stringify({ images: sizes, starts, heaps, roundTrip, failed: problems.length }));
  return problems.length === 0 ? 0 : 1;
}

function reportImage(image: BuiltImage, images: UnpackedImages): object {
  const { app, archive, buildMs, otherDigest } = image;
  problems.push(...problemsOfImage(image, images));
  const [base, own] = [archive.bytes.base, archive.bytes.own];
  const { files, bytes } = images.ownPart(app);
  const same = otherDigest === undefined ? 'same digest twice' : 'another digest the second time';
  print(
    `image ${app.padEnd(12)} ${inMb(base)} MB base + ${inMb(own)} MB own, compressed; own part ${inMb(bytes)} MB in ${files} files; ` +
      `built in ${Math.round(buildMs / 1_000)} s; ${same}: ${archive.digest}`,
  );
  return { app, digest: archive.digest, isSameTwice: otherDigest === undefined, base, own, ownUnpacked: bytes, files };
}

async function reportBill(
  app: ImageApp,
  { digest, images }: { digest: string; images: UnpackedImages },
): Promise<void> {
  const file = join(ARCHIVES, `${app}.cdx.json`);
  const named = await writeBillOfMaterials({ app, digest, file });
  const unnamed = images.packages(app).filter((path) => !named.includes(path));
  problems.push(...unnamed.map((path) => `${app}: holds ${path}, which its bill of materials does not name`));
  print(`bill  ${app.padEnd(12)} ${named.length} packages and projects, CycloneDX, beside the archive`);
}

async function tryOut(images: UnpackedImages): Promise<{ readonly starts: object[]; readonly roundTrip: object }> {
  secretWatch.begin();
  const system = await ContainerSystem.start(LOGS, images);
  try {
    const { code, output, tookMs } = await system.makeRoundTrip();
    print(output.trimEnd());
    print(`round trip through containers ${Math.round(tookMs)} ms, its own container included`);
    if (code !== 0) problems.push(`the round trip ended with ${code}`);
    const findings = system.containers.map((container) => {
      const finding = inspect(container);
      problems.push(...problemsOfContainer(finding, container.memoryMiB), ...container.complaints());
      return reportStart(finding);
    });
    return { starts: findings, roundTrip: { ok: code === 0, tookMs: Math.round(tookMs) } };
  } finally {
    for (const { name, code } of await system.stop())
      if (code !== 0) problems.push(`${name} ended with ${code} after SIGTERM`);
    problems.push(...secretWatch.leaks());
  }
}

function reportStart({ name, startMs, confinement, memoryLimit }: ContainerFinding): object {
  const { uid, residentBytes, residentBytesMax } = confinement;
  const memory = `${inMb(residentBytes)} MB resident, ${inMb(residentBytesMax)} at most, of ${inMb(memoryLimit ?? 0)}`;
  print(`start ${name.padEnd(12)} ready after ${Math.round(startMs)} ms as user ${uid}; ${memory}`);
  return { name, readyMs: Math.round(startMs), uid, residentBytes, residentBytesMax, memoryLimit };
}

function inMb(bytes: number): string {
  return (bytes / MB).toFixed(1);
}
