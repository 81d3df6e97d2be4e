/** A real Prometheus that reads the processes of a running system each second, for as long as a group of scenarios lasts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prometheusPrograms } from '@roundhouse/testing';
import { findFreePorts } from './free-ports.js';
import { sendRaw } from './raw-client.js';
import { until } from './until.js';

/** It answers within a second on an idle core. */
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 5_000;

export interface PrometheusOptions {
  readonly folder: string;
  /** Ports of /metrics on loopback, by job. */
  readonly jobs: Readonly<Record<string, readonly number[]>>;
  readonly ruleFiles: readonly string[];
}

/** One series of an answer, at the time of the query. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface RuleHealth {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

export interface SeenExemplar {
  readonly labels: Readonly<Record<string, string>>;
}

export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
    private readonly logFile: string,
  ) {}

  static async start({ folder, jobs, ruleFiles }: PrometheusOptions): Promise<Prometheus> {
    const { prometheus } = await prometheusPrograms();
    const [port = 0] = await findFreePorts(1);
    mkdirSync(folder, { recursive: true });
    const configFile = join(folder, 'prometheus.yaml');
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify(configOf(jobs, ruleFiles), undefined, 2));
    const logFile = join(folder, 'prometheus.log');
    const log = openSync(logFile, 'a');
    const flags = [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
      '--log.level=warn',
    ];
    const child = spawn(prometheus, flags, { stdio: ['ignore', log, log] });
    closeSync(log);
    const killAtExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('exit', () => process.removeListener('exit', killAtExit));
    const started = new Prometheus(child, port, logFile);
    await until(() => started.isReady(), { what: `Prometheus is ready (${logFile})`, withinMs: START_WITHIN_MS });
    return started;
  }

  /** What the expression is now; an error of Prometheus when it is none. */
  async query(expression: string): Promise<readonly Reading[]> {
    const { result } = await this.get<{ result: readonly RawSeries[] }>('query', { query: expression });
    return result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text) }));
  }

  async rules(): Promise<readonly RuleHealth[]> {
    const { groups } = await this.get<{ groups: readonly { rules: readonly RuleHealth[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  async exemplars(series: string): Promise<readonly SeenExemplar[]> {
    const times = { start: String(Date.now() / 1_000 - 600), end: String(Date.now() / 1_000 + 60) };
    const found = await this.get<readonly { exemplars: readonly SeenExemplar[] }[]>('query_exemplars', {
      query: series,
      ...times,
    });
    return found.flatMap(({ exemplars }) => exemplars);
  }

  /** Lines of its log: at this level each is about something that it could not do. */
  complaints(): string[] {
    return readFileSync(this.logFile, 'utf8')
      .split('\n')
      .filter((line) => /level=(warn|error)/.test(line));
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const lastResort = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(lastResort);
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async isReady(): Promise<boolean> {
    if (this.hasEnded) throw new Error(`Prometheus has ended: ${this.complaints().join('\n')}`);
    return sendRaw({ port: this.port, method: 'GET', path: '/-/ready' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  private async get<T>(name: string, parameters: Readonly<Record<string, string>>): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    // Not as clients of the gateway send, all of whose words are looked for afterwards: these name our own series.
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${name}?${query}`);
    const reply = (await response.json()) as { status: string; data: T; error?: string };
    if (reply.status !== 'success') throw new Error(`${reply.error ?? reply.status}: ${JSON.stringify(parameters)}`);
    return reply.data;
  }
}

interface RawSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atS: number, text: string];
}

function configOf(jobs: PrometheusOptions['jobs'], ruleFiles: readonly string[]): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: Object.entries(jobs).map(([job, ports]) => ({
      job_name: job,
      static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }],
    })),
  };
}
