/**
 * The files of a project, as the tool needs them: list what can be planned for, read one, put one new file beside them.
 * This file holds the ones that live in the process; `directory-project-files.ts` has those that replicas share.
 */
import type { Workspace } from '../../workspace/workspace-access.js';

/** Languages whose outline can be told from single lines. */
const SOURCE_FILE = /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.(ts|js|mjs|py|go|rs|java)$/;
/** Longer ones are generated, or no plan of a few lines helps them. */
export const SOURCE_BYTES_MAX = 256 * 1024;
/** Files listed in one scope: what one call may look at. */
export const FILES_LISTED_MAX = 200;

export type CreateOutcome = 'written' | 'exists' | 'gone';

export abstract class ProjectFiles {
  /** Paths below the workspace with `/` between components, in their order; at most `FILES_LISTED_MAX`. */
  abstract list(workspace: Workspace): Promise<readonly string[]>;

  /** Undefined when there is no such file, or it is none of those that are listed. */
  abstract read(workspace: Workspace, path: string): Promise<string | undefined>;

  /** Never replaces a file and never follows a link. */
  abstract create(workspace: Workspace, name: string, text: string): Promise<CreateOutcome>;
}

export function isSourceName(name: string): boolean {
  return SOURCE_FILE.test(name);
}

/** Path of a workspace → path of a file → content. */
export type SeededProjects = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const SEEDED_PROJECTS: SeededProjects = {
  'srv/projects/timetable': {
    'src/departures.ts': `export function departures(d: Date[], n: number) {\n  // later TODO sort by platform\n  return d.slice(0, n);\n}\n`,
    'src/helper.ts': `export class TimeManager {\n  to(s: string) {\n    if (s) {\n      if (s.length > 4) {\n        if (s.includes(':')) {\n          return s;\n        }\n      }\n    }\n    return '';\n  }\n}\n`,
  },
};

export class MemoryProjectFiles extends ProjectFiles {
  private readonly projects: ReadonlyMap<string, Map<string, string>>;

  constructor(seeded: SeededProjects = SEEDED_PROJECTS) {
    super();
    this.projects = new Map(Object.entries(seeded).map(([path, files]) => [path, new Map(Object.entries(files))]));
  }

  async list({ path }: Workspace): Promise<readonly string[]> {
    const names = [...(this.projects.get(path.join('/'))?.keys() ?? [])];
    return names.filter((name) => isSourceName(name.slice(name.lastIndexOf('/') + 1))).sort();
  }

  async read({ path }: Workspace, file: string): Promise<string | undefined> {
    return this.projects.get(path.join('/'))?.get(file);
  }

  async create({ path }: Workspace, name: string, text: string): Promise<CreateOutcome> {
    const project = this.projects.get(path.join('/'));
    if (project === undefined) return 'gone';
    if (project.has(name)) return 'exists';
    project.set(name, text);
    return 'written';
  }
}
