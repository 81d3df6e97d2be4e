/**
 * Where a call may look. An explicit directory wins; otherwise the client is asked for its roots, which are a hint: what
 * counts is which workspaces this principal was granted.
 */
import { Injectable } from '@nestjs/common';
import { ToolFailure, roots, type Call } from '@roundhouse/worker-kit';
import { WorkspaceAccess, type Workspace } from '../../workspace/workspace-access.js';

/** More roots are of somebody who wants everything looked at. */
const ROOTS_MAX = 4;

@Injectable()
export class ScopeFinder {
  constructor(private readonly access: WorkspaceAccess) {}

  /**
   * Never empty. In every round again: grants can change while a person thinks.
   * @throws ToolFailure without a directory, without roots, or when none is available to this principal
   */
  async find(directory: string | undefined, call: Call): Promise<readonly Workspace[]> {
    if (directory !== undefined) return [this.access.open(call.principal, directory)];
    const { roots: named } = await call.ask('roots', roots());
    if (named.length === 0) throw new ToolFailure('The client named no root, and no directory was given.');
    const granted = named.flatMap(({ uri }) => this.access.find(call.principal, uri) ?? []);
    if (granted.length === 0) throw new ToolFailure('None of the roots of the client is available to you.');
    return granted.slice(0, ROOTS_MAX);
  }
}
