/** A worker that asks in the first round and answers in the second, and does nothing else. */
import { serve } from './wire.js';

const ASKS = {
  confirm: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Wait 0 ms?',
      requestedSchema: {
        type: 'object',
        properties: { confirm: { type: 'boolean', title: 'Wait' } },
        required: ['confirm'],
      },
    },
  },
};
const CONTINUATION = JSON.stringify({ v: 1, entries: [{ asked: [{ key: 'confirm', digest: 'x'.repeat(43) }] }] });
const RESULT = JSON.stringify({ content: [{ type: 'text', text: 'Waited 0 ms.' }], resultType: 'complete' });

serve(Number(process.argv[2]), ({ answers }, answer) =>
  answer(answers === undefined ? { asks: ASKS, continuation: CONTINUATION } : { result: RESULT }),
);
