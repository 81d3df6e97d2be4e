/** A gateway with authorization on, whose tokens an issuer of the benchmark's own signs. */
import { join } from 'node:path';
import { TestIssuer } from '@roundhouse/testing';
import { bearer } from '../harness/authorized-world.js';
import type { HeaderList } from '../harness/raw-client.js';
import { OUT } from '../harness/workspace.js';
import { Gateway } from './gateway.js';

export const AUDIENCE = 'https://gateway.example/mcp';
export const CALL_SCOPE = 'mcp:call';

export interface GuardedOptions {
  /** Folder below out/. */
  readonly name: string;
  readonly tools: number;
  readonly policy: Readonly<Record<string, unknown>>;
  /** With which everything may be called and is listed. */
  readonly scope: string;
  readonly logLevel?: string;
  /** Whether each call is written down. */
  readonly audited?: boolean;
  readonly cpuProfile?: string | undefined;
}

export class GuardedGateway {
  private constructor(
    readonly gateway: Gateway,
    private readonly issuer: TestIssuer,
    /** A token with all scopes. */
    readonly headers: HeaderList,
  ) {}

  static async start({
    policy,
    scope,
    logLevel = 'info',
    audited = false,
    ...rest
  }: GuardedOptions): Promise<GuardedGateway> {
    const issuer = await TestIssuer.start({ audience: AUDIENCE });
    try {
      const headers = bearer(await issuer.sign({ claims: { scope } }));
      const section = {
        publicUrl: AUDIENCE,
        auth: {
          mode: 'oauth',
          issuers: [{ issuer: issuer.url, algorithms: [issuer.signingKey.algorithm] }],
          requiredScopes: [CALL_SCOPE],
        },
        development: { allowLoopbackIssuers: true },
        ...(audited && { audit: { sink: 'file', file: join(OUT, rest.name, 'audit.jsonl') } }),
        logLevel,
      };
      const gateway = await Gateway.start({ ...rest, replay: true, extras: { section, policy }, headers });
      return new GuardedGateway(gateway, issuer, headers);
    } catch (error) {
      await issuer.stop();
      throw error;
    }
  }

  /** Of somebody else. */
  async headersOf(subject: string, scope: string): Promise<HeaderList> {
    return bearer(await this.issuer.sign({ claims: { sub: subject, scope } }));
  }

  complaints(): string[] {
    return this.gateway.complaints();
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.issuer.stop();
  }
}
