import { configurationPage } from './configuration-page.mjs';
import { errorsPage } from './errors-page.mjs';
import { metricsPage } from './metrics-page.mjs';

const table = {
  overloaded: { status: 503, rpcCode: -32603, blame: 'operator', retry: 'later', logLevel: 'warn', text: 'Later | %s' },
};

describe('the page of errors', () => {
  it('has a row for each code and keeps its text inside the cell', () => {
    expect(errorsPage({ table, reasons: [] })).toContain(
      '| `overloaded` | 503 | -32603 | operator | later | warn | Later \\| %s |\n',
    );
  });

  it('lists each reason', () => {
    expect(errorsPage({ table: {}, reasons: ['client_gone', 'unexpected'] })).toContain(
      '- `client_gone`\n- `unexpected`\n',
    );
  });
});

describe('the page of metrics', () => {
  const row = { type: 'gauge', unit: 'keys', labels: ['kid', 'role'], help: 'Keys.', lookWhen: 'A rotation.' };
  const page = metricsPage({
    roundhouse_keys: { ...row, source: 'router' },
    roundhouse_waiters: { ...row, source: 'replay service', labels: [], buckets: [1, 2.5] },
  });

  it('has a section for each process and a row for each metric', () => {
    expect(page).toContain('\n## router\n\n| Metric |');
    expect(page).toContain('| `roundhouse_keys` | gauge, keys | `kid` `role` | Keys. | A rotation. |\n');
  });

  it('tells the buckets of a histogram', () => {
    expect(page).toContain('- `roundhouse_waiters`: 1, 2.5\n');
  });
});

describe('the page of settings', () => {
  const page = (field) => configurationPage([{ name: 'router', document: () => [field] }]);

  it('has a section for each process and a row for each setting', () => {
    const field = {
      path: 'router.port',
      type: 'integer',
      required: false,
      default: '3000',
      env: 'RH_PORT',
      description: 'Port.',
    };
    expect(page(field)).toContain('\n## router\n\n| Setting |');
    expect(page(field)).toContain('| `router.port` | integer | `3000` | `RH_PORT` | Port. |\n');
  });

  it('tells what is required only once its section is there', () => {
    const field = { path: 'tls.key', type: 'string', required: false, requiredWithin: 'tls', description: '' };
    expect(page(field)).toContain('| `tls.key` | string | required in `tls` |  |  |\n');
  });

  it('tells what has no default and no variable', () => {
    expect(page({ path: 'a', type: '"x" | "y"', required: true, description: '' })).toContain(
      '| `a` | "x" \\| "y" | required |  |  |\n',
    );
    expect(page({ path: 'a', type: 'string', required: false, description: '' })).toContain(
      '| `a` | string |  |  |  |\n',
    );
  });
});
