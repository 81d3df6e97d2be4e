/**
 * Which workspaces a principal may use. Authorisation and containment are two questions; both get the same answer to
 * the caller, who must not learn which paths exist or who may use them.
 */
import { ToolFailure } from '@roundhouse/worker-kit';
import { isInside, parseWorkspaceUri } from './workspace-uri.js';

type Principal =
  { readonly kind: 'anonymous' } | { readonly kind: 'user'; readonly issuer: string; readonly subject: string };

export interface WorkspaceGrant {
  /** `*`: everyone, also who is not signed in. */
  readonly subject: string;
  /** Absent: any issuer. */
  readonly issuer?: string | undefined;
  readonly workspaces: readonly string[];
}

export interface Workspace {
  /** The granted workspace, as components. */
  readonly root: readonly string[];
  /** What was asked for: the root or a folder below it. */
  readonly path: readonly string[];
}

export class WorkspaceAccess {
  private readonly grants: readonly {
    readonly grant: WorkspaceGrant;
    readonly roots: readonly (readonly string[])[];
  }[];

  /** Throws when a granted workspace is no `file:` URI: that is a mistake of the operator. */
  constructor(grants: readonly WorkspaceGrant[]) {
    this.grants = grants.map((grant) => ({ grant, roots: grant.workspaces.map(assertRoot) }));
  }

  /** @throws ToolFailure when this principal may not use this workspace, or it is none */
  open(principal: Principal, uri: string): Workspace {
    const workspace = this.find(principal, uri);
    if (workspace === undefined) throw new ToolFailure('This workspace is not available to you.');
    return workspace;
  }

  /** Undefined when this principal may not use this workspace, or it is none. */
  find(principal: Principal, uri: string): Workspace | undefined {
    const path = parseWorkspaceUri(uri);
    const roots = this.grants.filter(({ grant }) => isFor(grant, principal)).flatMap((each) => each.roots);
    const root = path === undefined ? undefined : roots.find((each) => isInside(path, each));
    return path === undefined || root === undefined ? undefined : { root, path };
  }
}

function isFor({ subject, issuer }: WorkspaceGrant, principal: Principal): boolean {
  if (subject === '*') return true;
  return (
    principal.kind === 'user' && principal.subject === subject && (issuer === undefined || principal.issuer === issuer)
  );
}

function assertRoot(uri: string): readonly string[] {
  const root = parseWorkspaceUri(uri);
  if (root === undefined || root.length === 0)
    throw new Error('A granted workspace must be a file:/// URI below the root');
  return root;
}
