/** Where buildah keeps what it builds. A new one knows nothing of builds before, so two of them tell whether builds agree. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { runProgram } from './command.js';

const BASE = 'localhost/roundhouse/base';

export interface BuildSettings {
  /** Arguments that let npm reach its registry. */
  readonly volumes: readonly string[];
  /** Seconds; the time of every file. */
  readonly sourceDateEpoch: string;
}

export class ImageStore {
  private constructor(
    private readonly place: readonly string[],
    private readonly settings: BuildSettings,
  ) {}

  static async open(folder: string, settings: BuildSettings): Promise<ImageStore> {
    // Layers over layers where the kernel can, otherwise copies of copies, which work everywhere.
    for (const driver of ['overlay', 'vfs']) {
      const place = [
        '--root',
        join(folder, driver),
        '--runroot',
        join(folder, `${driver}-run`),
        '--storage-driver',
        driver,
      ];
      const store = new ImageStore(place, settings);
      const isUsable = await store.buildah('info').then(
        () => true,
        () => driver === 'vfs',
      );
      if (isUsable) return store;
    }
    throw new Error('buildah has no storage that works here');
  }

  get driver(): string {
    return this.place.at(-1) ?? '';
  }

  async buildBase(context: string): Promise<void> {
    await this.build(BASE, ['--file', join(context, 'Containerfile'), context]);
  }

  /** From the sources of the workspace, as they are. */
  async buildApp(app: string): Promise<void> {
    const file = ['--file', join(ROOT, 'deploy/docker/Dockerfile')];
    const args = ['--build-arg', `APP=${app}`, '--build-arg', `BASE=${BASE}`];
    await this.build(nameOf(app), ['--layers', '--network=host', ...this.settings.volumes, ...args, ...file, ROOT]);
  }

  async save(app: string, archive: string): Promise<void> {
    rmSync(archive, { force: true });
    await this.buildah('push', '--quiet', nameOf(app), `oci-archive:${archive}`);
  }

  private async build(tag: string, args: readonly string[]): Promise<void> {
    const { sourceDateEpoch } = this.settings;
    const same = ['--isolation=chroot', '--pull-never', `--timestamp=${sourceDateEpoch}`, `--tag=${tag}`];
    await this.buildah('build', ...same, ...args);
  }

  private buildah(command: string, ...args: readonly string[]): Promise<string> {
    return runProgram('buildah', [command, ...this.place, ...args]);
  }
}

function nameOf(app: string): string {
  return `localhost/roundhouse/${app}`;
}
