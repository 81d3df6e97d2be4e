/** What scripted workers say, in one word each. */
import { of, type Observable } from 'rxjs';

export const completes = (text: string): Observable<unknown> =>
  of({ kind: 'complete', body: JSON.stringify({ content: [{ type: 'text', text }] }) });

export const confirmAsk = (message = 'Sure?'): object => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
});

export const asks = (asked: Record<string, object>, continuation = '{}'): Observable<unknown> =>
  of({ kind: 'input_required', asks: asked, continuation });

export const accept = (content: object): object => ({ action: 'accept', content });
