/** What a person sees after `npm start`: where it listens, and two commands that make a whole round trip. */
import { META, MODERN_REVISION } from '@roundhouse/protocol';

/** One note of the reference worker's own store matches this title twice, so the tool has to ask which. */
const ARGUMENTS = { workspaceUri: 'file:///srv/notes', title: 'Meeting notes' };

export function greeting(url: string): string {
  return `
Roundhouse serves MCP ${MODERN_REVISION} on ${url}

A whole round trip: the first command calls a tool that must ask which note you mean,
the second answers, with the state the first one printed.

${askCommand(url)}

${answerCommand(url)}

Stop with Ctrl-C.
`;
}

export function askCommand(url: string): string {
  const body = message(1, {});
  return `asked=$(${curl(url)} \\\n  -d '${body}')\necho "$asked"`;
}

export function answerCommand(url: string): string {
  const answer = { delete_choice: { action: 'accept', content: { note_id: 'NOTE', confirm: true } } };
  const body = message(2, { inputResponses: answer, requestState: 'STATE' });
  const pick = (name: string, pattern: string): string => `${name}=$(echo "$asked" | sed -n 's/.*${pattern}.*/\\1/p')`;
  const filled = body.replace('"STATE"', `"'"$state"'"`).replace('"NOTE"', `"'"$note"'"`);
  return [
    pick('state', '"requestState":"\\([^"]*\\)"'),
    pick('note', '"const":"\\([^"]*\\)"'),
    `${curl(url)} \\\n  -d '${filled}'`,
  ].join('\n');
}

function curl(url: string): string {
  return [
    `curl -s ${url} -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: ${MODERN_REVISION}'`,
    `-H 'Mcp-Method: tools/call' -H 'Mcp-Name: notes_delete' -H 'X-Roundhouse-Principal: alice'`,
  ].join(' \\\n  ');
}

function message(id: number, extra: object): string {
  const meta = { [META.protocolVersion]: MODERN_REVISION, [META.clientCapabilities]: { elicitation: { form: {} } } };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'notes_delete', arguments: ARGUMENTS, ...extra, _meta: meta },
  });
}
