/** The dashboards as they are committed, down to what a test asks of a panel. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/workspace.js';

const FOLDER = join(ROOT, 'deploy', 'observability', 'dashboards');

interface Target {
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly refId: string;
  readonly exemplar?: boolean;
  readonly legendFormat?: string;
  readonly expr?: string;
  readonly query?: string;
}

interface FieldOverride {
  readonly matcher: { readonly options: string };
  readonly properties: readonly { readonly id: string; readonly value: unknown }[];
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] };
    };
    readonly overrides: readonly FieldOverride[];
  };
  readonly targets?: readonly Target[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly definition?: string;
  /** What "All" stands for, where that is more than every value there is. */
  readonly allValue?: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly links: readonly { readonly type: string; readonly tags: readonly string[] }[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly panels: readonly Panel[];
}

/** Of a panel, one thing that it asks Prometheus. */
export interface PanelQuery {
  readonly dashboard: string;
  readonly panel: string;
  readonly unit: string;
  readonly legend: string;
  readonly expression: string;
}

export function readDashboards(): readonly Dashboard[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Dashboard);
}

/** Without the rows that only part them. */
export function panelsOf({ panels }: Dashboard): readonly Panel[] {
  return panels.filter(({ type }) => type !== 'row');
}

export function queriesOf(dashboard: Dashboard): readonly PanelQuery[] {
  return panelsOf(dashboard).flatMap(({ title, fieldConfig, targets = [] }) =>
    targets.flatMap(({ expr, legendFormat = '' }) =>
      expr === undefined
        ? []
        : [
            {
              dashboard: dashboard.uid,
              panel: title,
              unit: fieldConfig?.defaults.unit ?? '',
              legend: legendFormat,
              expression: expr,
            },
          ],
    ),
  );
}

/** What Grafana fills in for its variables. */
export type Choices = Readonly<Record<string, string>>;

/** The expression as Grafana sends it. */
export function withChoices(expression: string, choices: Choices = {}): string {
  return expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '5m')
    .replaceAll(/"\$(\w+)"/g, (_, name: string) => `"${choices[name] ?? '.*'}"`);
}
