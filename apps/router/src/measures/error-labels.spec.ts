import { describe, expect, it } from '@jest/globals';
import { WORKER_ERROR_CODES, type CallReply } from '@roundhouse/contracts';
import { ERROR_TABLE, RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import { clientErrorType, isToolError, serverErrorType, statusCodeOf } from './error-labels.js';

const NO_ERROR = [-32700, -32600, -32601, -32602, -32002];
const gone = new RoundhouseError('internal', { reason: 'client_gone' });
const complete: CallReply = { kind: 'complete', body: '{}' };

describe('error_type of what the router serves (OBS-3)', () => {
  it.each(Object.keys(ERROR_TABLE) as ErrorCode[])('is the code of %s unless that blames the request', (code) => {
    const { rpcCode } = ERROR_TABLE[code];
    expect(serverErrorType(new RoundhouseError(code), false)).toBe(NO_ERROR.includes(rpcCode) ? '' : String(rpcCode));
    expect(statusCodeOf(new RoundhouseError(code))).toBe(String(rpcCode));
  });

  it.each([-32020, -32021, -32022])('is %d for what a client must change', (code) => {
    const found = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((name) => ERROR_TABLE[name].rpcCode === code);
    expect(found.map((name) => serverErrorType(new RoundhouseError(name), false))).toEqual([String(code)]);
  });

  it('is nothing for a success, and tool_error for what a tool says went wrong', () => {
    expect([serverErrorType(undefined, false), serverErrorType(undefined, true)]).toEqual(['', 'tool_error']);
    expect(statusCodeOf(undefined)).toBe('');
  });

  it('is cancelled, without a code, when nobody was left to be answered', () => {
    expect([serverErrorType(gone, false), statusCodeOf(gone)]).toEqual(['cancelled', '']);
  });
});

describe('error_type of a worker call', () => {
  it.each([
    ['deadline_exceeded', 'timeout'],
    ['worker_lost', 'connection_lost'],
    ['worker_unavailable', 'unavailable'],
    ['worker_failed', 'malformed_reply'],
  ] as const)('is for %s %s', (code, type) => {
    expect(clientErrorType({ answered: undefined, failure: new RoundhouseError(code) })).toBe(type);
  });

  it.each([gone, undefined])('is cancelled for %s', (failure) => {
    expect(clientErrorType({ answered: undefined, failure })).toBe('cancelled');
  });

  it.each(WORKER_ERROR_CODES)('is one of a few for a worker that answers %s', (code) => {
    const type = clientErrorType({ answered: { kind: 'error', code, message: 'MARK' }, failure: undefined });
    expect(['', '-32603', '-32021', 'cancelled', 'unavailable']).toContain(type);
  });

  it('is nothing for a question', () => {
    const answered: CallReply = { kind: 'input_required', asks: {}, continuation: '' };
    expect(clientErrorType({ answered, failure: undefined })).toBe('');
  });
});

describe('a tool error', () => {
  it('is a result whose worker says so', () => {
    const failed: CallReply = { ...complete, isError: true };
    expect([isToolError(failed), clientErrorType({ answered: failed, failure: undefined })]).toEqual([
      true,
      'tool_error',
    ]);
  });

  it.each<CallReply | undefined>([
    undefined,
    complete,
    { kind: 'error', code: 'failed', message: '' },
    { kind: 'input_required', asks: {}, continuation: '' },
  ])('is not %j', (reply) => {
    expect(isToolError(reply)).toBe(false);
  });
});
