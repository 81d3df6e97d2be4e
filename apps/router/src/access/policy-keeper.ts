/**
 * The policy and the limits of this router: follows its file, swaps it whole between two decisions, and keeps the one before while the
 * file is bad. Tells the operator which line is wrong, and never what stands there.
 */
import { Logger } from '@nestjs/common';
import { Policy } from '@roundhouse/auth';
import { readConfigText } from '@roundhouse/config';
import { FollowedFile, type FileChange } from '@roundhouse/followed-file';
import type { RouterConfig } from '../config.js';
import type { LimitSettings } from '../limits/limit-settings.js';
import { policyConfig } from './policy-config.js';

export interface PolicyKeeperOptions {
  readonly log?: Pick<Logger, 'log' | 'error'>;
}

/** What is in force until the file changes. */
interface InForce {
  readonly policy: Policy | undefined;
  readonly limits: readonly LimitSettings[];
  /** Undefined sets no limit. */
  readonly openFlowsPerPrincipalMax: number | undefined;
}

const NOTHING: InForce = { policy: undefined, limits: [], openFlowsPerPrincipalMax: undefined };

interface Source {
  readonly current: () => InForce;
  readonly checkNow: () => void;
  readonly close: () => void;
}

export class PolicyKeeper {
  private constructor(
    private readonly source: Source,
    /** Since the start. */
    readonly reloads: Readonly<Record<'ok' | 'error', number>>,
  ) {}

  /**
   * Without a file the worker's demands are the policy; in development, where there are no scopes, nothing is.
   * @throws RoundhouseError `config_invalid` when the file is bad at start
   */
  static open(
    { policy, auth }: Pick<RouterConfig, 'policy' | 'auth'>,
    onChange: () => void,
    { log = new Logger('policy') }: PolicyKeeperOptions = {},
  ): PolicyKeeper {
    const { file: path, pollMs } = policy;
    const reloads = { ok: 0, error: 0 };
    if (path === undefined) {
      const fixed = auth.mode === 'oauth' ? parse('') : NOTHING;
      return new PolicyKeeper({ current: () => fixed, checkNow: () => undefined, close: () => undefined }, reloads);
    }
    const file = FollowedFile.open<InForce>({
      ...{ path, pollMs },
      read: (from) => readConfigText(from, 'router.policy.file'),
      parse,
      onChange: (change) => {
        reloads[change.outcome] += 1;
        tell(change, log);
        if (change.outcome === 'ok') onChange();
      },
    });
    const source = { current: file.current, checkNow: () => file.checkNow(), close: () => file.close() };
    return new PolicyKeeper(source, reloads);
  }

  /** Undefined when everybody may call everything. Another object after each change. */
  get current(): Policy | undefined {
    return this.source.current().policy;
  }

  get limits(): readonly LimitSettings[] {
    return this.source.current().limits;
  }

  get openFlowsPerPrincipalMax(): number | undefined {
    return this.source.current().openFlowsPerPrincipalMax;
  }

  /** Looks at the file at once. */
  checkNow(): void {
    this.source.checkNow();
  }

  stop(): void {
    this.source.close();
  }
}

function parse(text: string): InForce {
  const settings = policyConfig.parse(text);
  const { limits, openFlowsPerPrincipalMax } = settings;
  return { policy: new Policy(settings), limits, openFlowsPerPrincipalMax };
}

function tell(change: FileChange<InForce>, log: Pick<Logger, 'log' | 'error'>): void {
  if (change.outcome === 'ok') return log.log('policy reloaded');
  const { reason, facts } = change.error;
  log.error(`policy not reloaded, the one before stays: ${reason}: ${String(facts['problems'] ?? '')}`);
}
