/** Who serves one public name, and what the router must know before it calls. Built with the snapshot, never changed. */
import type { ParamHeader } from '@roundhouse/protocol';
import type { WorkerGroup } from '../dispatch/worker-group.js';

export type RouteKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export interface Route {
  readonly group: WorkerGroup;
  readonly kind: RouteKind;
  readonly publicName: string;
  /** The name the worker knows: without the group's prefix. */
  readonly ownName: string;
  /** Client capabilities without which the call cannot start. */
  readonly needs: Readonly<Record<string, unknown>> | undefined;
  readonly paramHeaders: readonly ParamHeader[];
  readonly timeoutMs: number | undefined;
  /** What its worker demands of whoever calls it. */
  readonly requiredScopes: readonly string[];
  /** Tools only: says of itself that it destroys. */
  readonly destructive: boolean;
  /** Tools only: a confirmed round is claimed before it runs. */
  readonly singleUse: boolean;
  /** Tools only: says of itself that it only reads, or that running it twice is as good as once (REP-8). */
  readonly rerunAllowed: boolean;
  /** Tools only: answers are taken without a sealed state. */
  readonly openAnswers: boolean;
  /** Tools only: a claimed run stops when its client goes away, instead of finishing. */
  readonly abortOnDisconnect: boolean;
  /** The display name put before questions, so that people see who asks (D-38); undefined leaves them as they are. */
  readonly asker: string | undefined;
}
