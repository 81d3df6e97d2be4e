/** An image as a registry would get it: an OCI archive. Tells what is in it and lays it out for a container. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './command.js';

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

/** The part of an image's configuration that says how it starts. */
export interface ImageConfig {
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
}

export class ImageArchive {
  private constructor(
    private readonly path: string,
    readonly digest: string,
    private readonly layers: readonly Descriptor[],
    readonly config: ImageConfig,
  ) {}

  static async read(path: string): Promise<ImageArchive> {
    const { manifests } = (await readJson(path, 'index.json')) as { manifests: readonly Descriptor[] };
    const [manifest] = manifests;
    if (manifest === undefined || manifests.length > 1) throw new Error(`${path} holds ${manifests.length} images`);
    const parts = await readJson(path, blobOf(manifest.digest));
    const { config, layers } = parts as { config: Descriptor; layers: readonly Descriptor[] };
    const { config: start } = (await readJson(path, blobOf(config.digest))) as { config: ImageConfig };
    return new ImageArchive(path, manifest.digest, layers, start);
  }

  /** Bytes on the way to and from a registry: of the base and of what is ours. */
  get bytes(): { readonly base: number; readonly own: number } {
    const sizes = this.layers.map(({ size }) => size);
    const own = sizes.at(-1) ?? 0;
    return { base: sizes.reduce((sum, size) => sum + size, 0) - own, own };
  }

  /** Layer over layer, as a container sees it. Our images remove nothing of the layers below. */
  async unpack(folder: string): Promise<void> {
    const blobs = join(folder, '..', 'blobs');
    for (const each of [folder, blobs]) mkdirSync(each, { recursive: true });
    await runProgram('tar', ['-xf', this.path, '-C', blobs]);
    for (const { digest } of this.layers)
      await runProgram('tar', ['--numeric-owner', '-xpf', join(blobs, blobOf(digest)), '-C', folder]);
  }
}

async function readJson(archive: string, file: string): Promise<unknown> {
  return JSON.parse(await runProgram('tar', ['-xOf', archive, file]));
}

function blobOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}
