/** The images laid out on the machine's own file system, for as many containers as want to read them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import type { ImageArchive, ImageConfig } from './image-archive.js';

/** Where a package is. Manifests further down in it only say how its files are to be read. */
const PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^/@.][^/]*$/;

export interface UnpackedImage {
  readonly rootfs: string;
  readonly image: ImageConfig;
}

export class UnpackedImages {
  private readonly images = new Map<string, UnpackedImage>();

  constructor(private readonly folder: string) {}

  async add(app: string, archive: ImageArchive): Promise<void> {
    const rootfs = join(this.folder, app);
    await archive.unpack(rootfs);
    this.images.set(app, { rootfs, image: archive.config });
  }

  get(app: string): UnpackedImage {
    const image = this.images.get(app);
    if (image === undefined) throw new Error(`there is no image of ${app}`);
    return image;
  }

  /** Packages in the image that the lockfile has for development only. */
  developmentPackages(app: string): string[] {
    const own = join(this.get(app).rootfs, 'app');
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { dev?: boolean }>>;
    };
    const paths = Object.keys(packages).filter((path) => packages[path]?.dev === true);
    return paths.filter((path) => existsSync(join(own, path)));
  }

  /** Folders of packages in the image, as the lockfile writes them. */
  packages(app: string): string[] {
    const own = join(this.get(app).rootfs, 'app');
    // With their kinds, because then links are not followed: our own projects are linked.
    const entries = readdirSync(own, { recursive: true, withFileTypes: true });
    const manifests = entries.filter((entry) => entry.isFile() && entry.name === 'package.json');
    return manifests.map(({ parentPath }) => relative(own, parentPath)).filter((path) => PACKAGE.test(path));
  }

  /** What an image adds to its base, unpacked. */
  ownPart(app: string): { readonly files: number; readonly bytes: number } {
    let [files, bytes] = [0, 0];
    const own = join(this.get(app).rootfs, 'app');
    for (const entry of readdirSync(own, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      bytes += statSync(join(entry.parentPath, entry.name)).size;
    }
    return { files, bytes };
  }
}
