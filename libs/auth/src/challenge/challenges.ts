/**
 * What a refusal tells a client to do next: the values of WWW-Authenticate (RFC 6750 section 3, RFC 9449 section 7.1,
 * RFC 9728 section 5.1). Fixed words only: nothing of a token, and no hint at which check failed.
 */
import type { ErrorCode } from '@roundhouse/errors';
import { ALGORITHMS } from '../issuer-settings.js';
import type { DpopMode } from '../metadata/protected-resource.js';

export interface ChallengesOptions {
  readonly metadataUrl: string;
  /** What a client should begin with. */
  readonly scopes: readonly string[];
  readonly dpop: DpopMode;
}

type Parameter = readonly [name: string, value: string];

export class Challenges {
  private readonly byCode: Readonly<Partial<Record<ErrorCode, string>>>;
  private readonly metadata: Parameter;

  constructor(private readonly options: ChallengesOptions) {
    const scope = scopeParameter(options.scopes);
    this.metadata = ['resource_metadata', options.metadataUrl];
    const ends = [this.metadata, ...scope];
    this.byCode = {
      unauthenticated: this.build(ends),
      token_invalid: this.build([...described('invalid_token', 'The access token is not valid'), ...ends]),
      proof_invalid: `DPoP ${write([...described('invalid_dpop_proof', 'The DPoP proof is not valid'), ALGS, this.metadata])}`,
      authorization_malformed: this.build([
        ...described('invalid_request', 'The authorization of the request is malformed'),
        this.metadata,
      ]),
    };
  }

  /** Undefined for an error that a client cannot meet with another token. */
  for(code: ErrorCode): string | undefined {
    return this.byCode[code];
  }

  /** All scopes that the operation needs, those that the token has included (OAU-3). */
  insufficientScope(scopes: readonly string[]): string {
    return this.build([
      ['error', 'insufficient_scope'],
      ...scopeParameter(scopes),
      this.metadata,
      ['error_description', 'The access token lacks a scope this needs'],
    ]);
  }

  private build(parameters: readonly Parameter[]): string {
    const { dpop } = this.options;
    const bound = `DPoP ${write([...parameters, ALGS])}`;
    if (dpop === 'required') return bound;
    const bearer = `Bearer ${write(parameters)}`;
    // Both are offered where both will do; Bearer first, which is all that most clients read.
    return dpop === 'off' ? bearer : `${bearer}, ${bound}`;
  }
}

const ALGS: Parameter = ['algs', ALGORITHMS.join(' ')];

function described(error: string, words: string): readonly Parameter[] {
  return [
    ['error', error],
    ['error_description', words],
  ];
}

function scopeParameter(scopes: readonly string[]): readonly Parameter[] {
  return scopes.length === 0 ? [] : [['scope', scopes.join(' ')]];
}

function write(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${name}=${quote(value)}`).join(', ');
}

/** RFC 9110 section 5.6.4, ASCII only; a line break cannot get through. */
function quote(value: string): string {
  return `"${value.replaceAll(/[^\x20-\x7e]/g, '').replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
