// Lints pieces of text as if they stood in a file of the workspace, to show that a rule fires.
// Usage: node tools/lint/snippet.mjs < snippets.json   [{ "path", "text", "typed"? }] in, [[{ "rule", "message" }]] out, as the last line
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { ROOT } from '../child.mjs';

/** Without types a snippet may stand in a file that does not exist, and takes milliseconds. */
const untyped = { ...tseslint.configs.disableTypeChecked, files: ['**/*.ts'] };

/** In CI the parser would otherwise take the file from the disk instead of the snippet. */
const typed = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } },
};

const typedLint = new ESLint({ cwd: ROOT, overrideConfig: [typed] });
const fastLint = new ESLint({ cwd: ROOT, overrideConfig: [untyped] });

const reports = [];
for (const snippet of JSON.parse(await text(process.stdin))) {
  const eslint = snippet.typed ? typedLint : fastLint;
  const [result] = await eslint.lintText(snippet.text, { filePath: `${ROOT}${snippet.path}` });
  reports.push(result.messages.map(({ ruleId, message }) => ({ rule: ruleId ?? 'fatal', message })));
}
process.stdout.write(`\n${JSON.stringify(reports)}\n`);
