import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { WorkerController } from '@roundhouse/worker-kit/testing';
import { ToolWorkerModule } from './app.module.js';
import { toolWorkerConfig } from './config.js';

const FIRST: Readonly<Record<string, string>> = {
  conformance: 'test_simple_text',
  reference: 'notes_delete',
  diagnostics: 'echo',
};

async function namesFor(env: Record<string, string>): Promise<string[]> {
  const module = await Test.createTestingModule({
    imports: [ToolWorkerModule.forConfig(toolWorkerConfig.load(env))],
  }).compile();
  return module
    .get(WorkerController, { strict: false })
    .describe()
    .tools.map(({ name }) => name);
}

describe('the reference worker', () => {
  it('serves its own tools and no fixtures unless told otherwise', async () => {
    expect(await namesFor({})).toEqual([
      'notes_delete',
      'bank_transfer',
      'bank_transfer_form',
      'draft_delete',
      'deploy_service',
      'purchase',
      'refactor_plan',
      'echo',
      'wait',
      'wait_apart',
      'confirm_wait',
      'confirm_echo',
    ]);
  });

  it.each(['conformance', 'reference', 'diagnostics'])('serves %s alone', async (modules) => {
    expect((await namesFor({ ROUNDHOUSE_WORKER_MODULES: modules }))[0]).toBe(FIRST[modules]);
  });

  it('puts the fixtures first, whatever the order in the configuration', async () => {
    const names = await namesFor({ ROUNDHOUSE_WORKER_MODULES: 'diagnostics,reference,conformance' });
    expect(names[0]).toBe('test_simple_text');
    expect(names).toEqual(expect.arrayContaining(['notes_delete', 'echo']));
  });

  it('grows its catalogue on demand', async () => {
    const names = await namesFor({ ROUNDHOUSE_WORKER_MODULES: 'diagnostics', ROUNDHOUSE_WORKER_EXTRA_TOOLS: '2' });
    expect(names).toEqual(['echo', 'wait', 'wait_apart', 'confirm_wait', 'confirm_echo', 'echo_0001', 'echo_0002']);
  });

  it('serves the call whose runs are counted only where there is a place to count them', async () => {
    const names = await namesFor({
      ROUNDHOUSE_WORKER_MODULES: 'diagnostics',
      ROUNDHOUSE_DIAGNOSTICS_DIRECTORY: '/tmp/runs',
    });
    expect(names).toEqual(['echo', 'wait', 'wait_apart', 'confirm_wait', 'confirm_echo', 'confirm_run']);
  });

  it('serves the call that needs a page only where there is one', async () => {
    const env = { ROUNDHOUSE_REPORTS_PAGE_URL: 'https://reports.example/connect/' };
    expect(await namesFor(env)).toContain('connect_report_service');
  });

  it.each([
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes:secret@db/notes' },
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'mysql://notes@db/notes' },
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://db/notes' },
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes@db' },
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes@db/notes?sslmode=disable' },
    { ROUNDHOUSE_NOTES_DATABASE_PASSWORD: 'secret' },
    { ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes@db/notes', ROUNDHOUSE_NOTES_DIRECTORY: '/srv' },
    {
      ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes@db/notes',
      ROUNDHOUSE_NOTES_DATABASE_PASSWORD: 'secret',
      ROUNDHOUSE_NOTES_DATABASE_PASSWORD_FILE: '/run/password',
    },
    { ROUNDHOUSE_REPORTS_PAGE_URL: 'https://reports.example/connect' },
    { ROUNDHOUSE_REPORTS_PAGE_URL: 'javascript:alert(1)/' },
    { ROUNDHOUSE_WORKER_MODULES: 'everything' },
    { ROUNDHOUSE_WORKER_RPC_PORT: '70000' },
    { ROUNDHOUSE_WORKER_EXTRA_TOOLS: '4001' },
    { ROUNDHOUSE_WORKER_EXTRA_TOOLS: 'many' },
  ])('does not start with %j', (env) => {
    expect(() => toolWorkerConfig.load(env)).toThrow('Invalid configuration');
  });

  it('never shows a password that is in the wrong place', () => {
    const load = () => toolWorkerConfig.load({ ROUNDHOUSE_NOTES_DATABASE_URL: 'postgres://notes:hush@db/notes' });
    expect(load).toThrow('Invalid configuration');
    try {
      load();
    } catch (error) {
      expect(JSON.stringify([error, String(error)])).not.toContain('hush');
    }
  });
});
