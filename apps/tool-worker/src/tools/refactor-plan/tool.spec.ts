import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallReply, CallRequest } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { ProjectsModule } from './projects.module.js';
import { RefactorPlanTool } from './tool.js';

const uri = 'file:///srv/projects/lamps';
let directory: string;
let grants: { subject: string; workspaces: string[] }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'projects-'));
  grants = [{ subject: '*', workspaces: ['file:///srv/projects'] }];
  write('lamps/src/a.ts', 'export function lamp(s: string) {\n  return s; // later TODO trim\n}\n');
  write('lamps/src/b.py', 'def oil(n):\n    return n\n');
  write('lamps/c.go', 'func wick() {}\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, text: string): void {
  const file = join(directory, 'srv', 'projects', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const parts = () => ({ tools: [RefactorPlanTool], imports: [ProjectsModule.forConfig({ directory, grants })] });
const flowOf = (args: Record<string, unknown> = { directory: uri }, base: Partial<CallRequest> = {}) =>
  new SpecFlow(parts, 'refactor_plan', { body: JSON.stringify(args), ...base });
const withoutSampling = { clientCapabilities: { elicitation: { form: {} }, roots: {} } };
const options = (changed: Record<string, unknown> = {}) => ({
  options: { action: 'accept', content: { style: 'quiet', files: 3, dry_run: true, planner: 'rules', ...changed } },
});
const rulesOnly = (changed: Record<string, unknown> = {}) => ({
  options: { action: 'accept', content: { style: 'quiet', files: 3, dry_run: true, ...changed } },
});
const said = (text: string, more: Record<string, unknown> = {}) => ({
  role: 'assistant',
  model: 'm',
  content: { type: 'text', text },
  ...more,
});
const samples = (...plans: object[]) =>
  Object.fromEntries(plans.map((plan, at) => [`plan_${at + 1}`, plan as Record<string, unknown>]));
const roots = (...uris: string[]) => ({ roots: { roots: uris.map((each) => ({ uri: each })) } });
const keysOf = (reply: CallReply) => (reply.kind === 'input_required' ? Object.keys(reply.asks) : textsOf(reply));
const everything = () => readdirSync(join(directory, 'srv'), { recursive: true }).map(String).sort();

describe('refactor_plan, whose scope is a directory', () => {
  it('asks once for all options, within what there is', async () => {
    expect(await flowOf().next()).toMatchObject({
      asks: {
        options: {
          params: {
            requestedSchema: {
              properties: {
                style: { oneOf: [{ const: 'small' }, { const: 'names' }, { const: 'quiet' }] },
                files: { type: 'integer', minimum: 1, maximum: 3, default: 3 },
                dry_run: { type: 'boolean', default: true },
                planner: { oneOf: [{ const: 'model' }, { const: 'rules' }] },
              },
            },
          },
        },
      },
    });
  });

  it.each(['/../../../etc', '/%2e%2e/%2e%2e/other', '/%252e%252e/x', '/..%5c..', '%00', '?x'])(
    'refuses a directory that ends in %s',
    async (end) => {
      expect(textsOf(await flowOf({ directory: uri.replace('/lamps', '') + end }).next())).toEqual([
        'This workspace is not available to you.',
      ]);
    },
  );

  it.each(['file:///srv/projects-evil', 'file:///etc', 'file://host/srv/projects', 'https://srv/projects', ''])(
    'refuses the directory %j',
    async (other) => {
      expect(textsOf(await flowOf({ directory: other }).next())).toEqual(['This workspace is not available to you.']);
    },
  );

  it.each([
    ['a folder that leads outside', () => symlinkSync('/etc', join(directory, 'srv/projects/lamps/etc'))],
    ['a file that leads outside', () => symlinkSync('/etc/hostname', join(directory, 'srv/projects/lamps/x.ts'))],
    ['a file that leads inside', () => symlinkSync('c.go', join(directory, 'srv/projects/lamps/d.go'))],
    ['a hidden folder', () => write('lamps/.git/x.ts', '')],
    ['what others wrote', () => write('lamps/node_modules/x/x.ts', '')],
    ['a file in no language it knows', () => write('lamps/x.txt', '')],
    ['a file that is too large', () => write('lamps/zz.ts', 'x'.repeat(256 * 1024 + 1))],
  ])('passes over %s', async (_, make) => {
    make();
    const flow = flowOf({ directory: uri, samples: 0 });
    await flow.next();
    const [text = ''] = textsOf(await flow.next(rulesOnly({ files: 3 })));
    expect(text.match(/^srv\/projects\/\S+/gm)).toEqual([
      'srv/projects/lamps/c.go',
      'srv/projects/lamps/src/a.ts',
      'srv/projects/lamps/src/b.py',
    ]);
  });

  it('finds nothing in a project that is a link to the outside', async () => {
    symlinkSync('/etc', join(directory, 'srv', 'projects', 'etc'));
    expect(textsOf(await flowOf({ directory: 'file:///srv/projects/etc' }).next())[0]).toContain('No source files');
  });

  it('does not read a file that became a link while the person thought', async () => {
    const flow = flowOf({ directory: uri, samples: 0 });
    await flow.next();
    const file = join(directory, 'srv/projects/lamps/c.go');
    rmSync(file);
    symlinkSync('/etc/hostname', file);
    expect(textsOf(await flow.next(rulesOnly()))[0]).not.toContain('c.go');
  });

  it('refuses who lost the project while the person thought', async () => {
    const flow = flowOf();
    await flow.next();
    grants = [];
    expect(textsOf(await flow.next(options()))).toEqual(['This workspace is not available to you.']);
  });

  it.each([
    ['decline', { options: { action: 'decline' } }, 'Planning was declined. Nothing was planned.'],
    ['cancel', { options: { action: 'cancel' } }, 'The form was closed without an answer. Nothing was planned.'],
  ])('plans nothing on %s', async (_, answers, text) => {
    const flow = flowOf();
    await flow.next();
    expect(textsOf(await flow.next(answers))).toEqual([text]);
  });

  it.each([
    { files: 4 },
    { files: 0 },
    { files: 1.5 },
    { style: 'big' },
    { dry_run: 'yes' },
    { planner: 'me' },
    { x: 1 },
  ])('takes the options %j for no answer', async (changed) => {
    const flow = flowOf();
    await flow.next();
    expect(keysOf(await flow.next(options(changed)))).toEqual(['options']);
  });

  it.each([{ directory: 5 }, { directory: uri, samples: 6 }, { directory: uri, samples: -1 }])(
    'refuses the arguments %j',
    async (args) => {
      expect(textsOf(await flowOf(args).next())[0]).toMatch(/^Invalid arguments/);
    },
  );

  it('says that the files went while the person thought', async () => {
    const flow = flowOf();
    await flow.next();
    rmSync(join(directory, 'srv/projects/lamps'), { recursive: true });
    expect(textsOf(await flow.next(options()))).toEqual(['The source files are gone. Nothing was planned.']);
  });
});

describe('refactor_plan, whose scope are the roots of the client', () => {
  it('looks at those that are granted and exist, and at no others', async () => {
    const flow = flowOf({});
    expect(keysOf(await flow.next())).toEqual(['roots']);
    const reply = await flow.next(roots('file:///home/me/secret', 'file:///etc', uri));
    expect(keysOf(reply)).toEqual(['options']);
    expect(JSON.stringify(reply)).toContain('3 source files');
  });

  it.each([
    ['no root', roots(), 'The client named no root, and no directory was given.'],
    ['a root of somebody else', roots('file:///etc'), 'None of the roots of the client is available to you.'],
    ['a root with a way out', roots(`${uri}/../../../etc`), 'None of the roots of the client is available to you.'],
    [
      'a root that only begins the same',
      roots('file:///srv/projects-x'),
      'None of the roots of the client is available to you.',
    ],
    ['a root without sources', roots('file:///srv/projects/none'), 'No source files were found. Nothing was planned.'],
  ])('refuses %s', async (_, answers, text) => {
    const flow = flowOf({});
    await flow.next();
    expect(textsOf(await flow.next(answers))).toEqual([text]);
  });

  it.each([
    ['a root that is no file', roots('https://example.org')],
    ['roots that are no list', { roots: { roots: uri } }],
  ])('asks again on %s', async (_, answers) => {
    const flow = flowOf({});
    await flow.next();
    expect(keysOf(await flow.next(answers as never))).toEqual(['roots']);
  });

  it('names the capability that a client without roots lacks', async () => {
    expect(await flowOf({}, { clientCapabilities: { elicitation: {} } }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { roots: {} },
    });
  });
});

describe('refactor_plan with the model of the client', () => {
  const begun = async (changed: Record<string, unknown> = {}, args = {}) => {
    const flow = flowOf({ directory: uri, ...args });
    await flow.next();
    return { flow, asked: await flow.next(options({ planner: 'model', ...changed })) };
  };

  it('asks about all files in one round, with preferences and without the text of the files', async () => {
    const { asked } = await begun();
    expect(keysOf(asked)).toEqual(['plan_1', 'plan_2', 'plan_3']);
    expect(asked).toMatchObject({
      asks: { plan_1: { method: 'sampling/createMessage', params: { modelPreferences: { costPriority: 0.5 } } } },
    });
    expect(JSON.stringify(asked)).toContain('func wick() {}');
    expect(JSON.stringify(asked)).not.toContain('return s;');
  });

  it('shows what the model said, and asks it nothing more', async () => {
    const { flow } = await begun();
    const reply = await flow.next(samples(said('1. Rename.'), said('2. Split.'), said('3. Stop.')));
    expect(textsOf(reply)[0]).toMatch(/c\.go \(by the model of the client\)\n1\. Rename\.[\s\S]*nothing was written/);
  });

  it('asks at most as often as the call allows, and says so of the rest', async () => {
    const { flow, asked } = await begun({}, { samples: 1 });
    expect(keysOf(asked)).toEqual(['plan_1']);
    const [text = ''] = textsOf(await flow.next(samples(said('Once.'))));
    expect(text.match(/by local rules: at most 1 samples a call/g)).toHaveLength(2);
  });

  it.each([
    ['refused', said('I cannot help.', { stopReason: 'refusal' })],
    ['said nothing', said('  ')],
    [
      'answered with an image',
      { role: 'assistant', model: 'm', content: { type: 'image', data: 'eA==', mimeType: 'image/png' } },
    ],
    ['answered with invisible marks', said('\u200b\u202e')],
  ])('falls back to local rules for a file whose sample was %s', async (_, refused) => {
    const { flow } = await begun({ files: 2 });
    const [text = ''] = textsOf(await flow.next(samples(refused, said('Split.'))));
    expect(text).toContain('c.go (by local rules: the model gave no plan)');
    expect(text).toContain('a.ts (by the model of the client)\nSplit.');
  });

  it('waits for a sample that the client has not given: nothing is planned without it', async () => {
    const { flow } = await begun({ files: 2 });
    expect(keysOf(await flow.next(samples(said('Only one.'))))).toEqual(['plan_2']);
  });

  it('cuts what is too long and shows no control characters', async () => {
    const { flow } = await begun({ files: 1 });
    const [text = ''] = textsOf(await flow.next(samples(said(`\u001b[31m${'x'.repeat(5_000)}`))));
    expect(text).not.toContain('\u001b');
    expect(text.length).toBeLessThan(1_600);
  });

  it('says which file changed while the model thought', async () => {
    const { flow } = await begun({ files: 1 });
    write('lamps/c.go', 'func other() {}\n');
    expect(textsOf(await flow.next(samples(said('Rename.'))))[0]).toContain(
      'srv/projects/lamps/c.go has changed since it was looked at.',
    );
  });
});

describe('refactor_plan without a model', () => {
  it.each([
    [
      'the client has none',
      { directory: uri },
      withoutSampling,
      rulesOnly(),
      'the client has no model that can be asked',
    ],
    ['no samples are allowed', { directory: uri, samples: 0 }, {}, rulesOnly(), 'no samples were allowed'],
    ['the person does not want it', { directory: uri }, {}, options(), 'chosen so'],
  ])('plans by local rules and says that %s', async (_, args, base, answers, because) => {
    const flow = flowOf(args, base);
    await flow.next();
    const [text = ''] = textsOf(await flow.next(answers));
    expect(text).toContain(`a.ts (by local rules: ${because})\nDo it, or turn the reminder into an issue (line 2).`);
  });

  it.each([
    ['small', 'shallow.ts', 'Nothing to do by these rules.'],
    ['small', 'deep.ts', 'Take the inner block out into a function of its own (line 2 and 1 more).'],
    ['names', 'time-helper.ts', 'Name the file after its role.'],
    ['names', 'short.ts', 'Give the parameters names that can be read (line 1).'],
    ['quiet', 'comment.ts', 'Delete the code in the comment (line 1).'],
  ])('looks for what the style %s wants: %s', async (style, name, finding) => {
    const text: Record<string, string> = {
      'deep.ts': 'if (a) {\n          b();\n          c();\n}\n',
      'short.ts': 'function f(a: string, long: string) {}\n',
      'comment.ts': '// const old = 1;\n',
    };
    write(`one/${name}`, text[name] ?? 'export const one = 1;\n');
    const flow = flowOf({ directory: 'file:///srv/projects/one', samples: 0 });
    await flow.next();
    expect(textsOf(await flow.next(rulesOnly({ style, files: 1 })))[0]).toContain(finding);
  });
});

describe('refactor_plan that may write', () => {
  const confirm = (yes: boolean) => ({ write: { action: 'accept', content: { confirm: yes } } });
  const toWrite = async (base: Partial<CallRequest> = {}) => {
    const flow = flowOf({ directory: uri }, base);
    await flow.next();
    return { flow, asked: await flow.next(options({ dry_run: false })) };
  };

  it('asks with the exact place, then writes one new file and changes no other', async () => {
    const before = everything();
    const { flow, asked } = await toWrite();
    const place = /file:\/\/\/srv\/projects\/lamps\/refactor-plan-[0-9a-f]{12}\.md/.exec(JSON.stringify(asked))?.[0];
    const [text = ''] = textsOf(await flow.next(confirm(true)));
    expect(text).toContain(`The plan was written to ${place}`);
    const added = everything().filter((path) => !before.includes(path));
    expect(added).toEqual([place?.slice('file:///srv/'.length)]);
    expect(readFileSync(join(directory, 'srv', added[0] ?? ''), 'utf8')).toContain('srv/projects/lamps/c.go');
  });

  it.each([
    ['decline', { write: { action: 'decline' } }, 'Nothing was written (decline).'],
    ['cancel', { write: { action: 'cancel' } }, 'Nothing was written (cancel).'],
    ['accept without the check mark', confirm(false), 'Nothing was written: it was not confirmed.'],
  ])('writes nothing on %s, and still tells the plan', async (_, answers, text) => {
    const before = everything();
    const { flow } = await toWrite();
    const [whole = ''] = textsOf(await flow.next(answers));
    expect(whole).toContain(text);
    expect(whole).toContain('srv/projects/lamps/c.go');
    expect(everything()).toEqual(before);
  });

  it('writes nothing in a dry run, whatever else is answered', async () => {
    const before = everything();
    const flow = flowOf();
    await flow.next();
    expect(textsOf(await flow.next({ ...options(), ...confirm(true) }))[0]).toContain('nothing was written');
    expect(everything()).toEqual(before);
  });

  it('never replaces what is there, nor writes through a link', async () => {
    for (const make of [
      (file: string) => writeFileSync(file, 'mine'),
      (file: string) => symlinkSync(join(directory, 'outside.md'), file),
    ]) {
      const { flow, asked } = await toWrite();
      const name = /refactor-plan-[0-9a-f]{12}\.md/.exec(JSON.stringify(asked))?.[0] ?? '';
      const file = join(directory, 'srv/projects/lamps', name);
      make(file);
      expect(textsOf(await flow.next(confirm(true)))[0]).toContain('Nothing was written, as there already is');
      expect(readdirSync(directory)).not.toContain('outside.md');
      rmSync(file);
    }
  });

  it('writes nothing into a scope that became a link to elsewhere', async () => {
    const { flow } = await toWrite();
    const scope = join(directory, 'srv/projects/lamps');
    rmSync(scope, { recursive: true });
    mkdirSync(join(directory, 'elsewhere'));
    symlinkSync(join(directory, 'elsewhere'), scope);
    expect(textsOf(await flow.next(confirm(true)))[0]).toContain('the scope is gone');
    expect(readdirSync(join(directory, 'elsewhere'))).toEqual([]);
  });
});

describe('refactor_plan', () => {
  it('does not ask a client without forms', async () => {
    expect(await flowOf({ directory: uri }, { clientCapabilities: { sampling: {}, roots: {} } }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { form: {} } },
    });
  });

  it('is declared as what it is, with an example in the process', async () => {
    const imports = [ProjectsModule.forConfig({ grants })];
    const worker = await SpecWorker.start({ tools: [RefactorPlanTool], imports });
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'refactor_plan', singleUse: true }]);
    const example = () => ({ tools: [RefactorPlanTool], imports });
    const body = JSON.stringify({ directory: 'file:///srv/projects/timetable', samples: 0 });
    const flow = new SpecFlow(example, 'refactor_plan', { body });
    await flow.next();
    expect(textsOf(await flow.next(rulesOnly({ style: 'names', files: 2 })))[0]).toContain('Say the role in the name');
  });
});
