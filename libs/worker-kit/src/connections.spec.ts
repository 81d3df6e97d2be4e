import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Connection, type PendingCall } from './connections.js';

describe('a connection keeps its calls', () => {
  it('each until it is removed, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (choices) => {
        const connection = new Connection();
        const cancelled: string[] = [];
        const kept: PendingCall[] = [];
        choices.forEach((choice, at) => {
          if (choice % 2 === 0 || kept.length === 0) {
            kept.push(connection.add(`c${at}`, () => cancelled.push(`c${at}`)));
          } else {
            const [gone] = kept.splice(choice % kept.length, 1);
            connection.remove(gone as PendingCall);
            connection.cancel((gone as PendingCall).callId);
          }
        });
        expect(cancelled).toEqual([]);
        for (const { callId } of kept) connection.cancel(callId);
        expect(cancelled).toEqual(kept.map(({ callId }) => callId));
      }),
    );
  });

  it('and cancels all that are left when it closes, though each leaves while it does', () => {
    const connection = new Connection();
    const cancelled: string[] = [];
    for (const callId of ['a', 'b', 'c']) {
      const call = connection.add(callId, () => {
        cancelled.push(callId);
        connection.remove(call);
      });
    }
    connection.close();
    expect(cancelled.sort()).toEqual(['a', 'b', 'c']);
  });
});
