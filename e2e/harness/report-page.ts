/** The page of connect_report_service as a process of its own, beside the workers whose directory it shares. */
import { join } from 'node:path';
import { isListening } from './free-ports.js';
import { ManagedProcess } from './process.js';
import { ROOT, fromSource } from './workspace.js';

/** A test service of the worker's: it is never built. */
const PROGRAM = 'apps/tool-worker/src/tools/connect-report-service/testing/serve-report-page.ts';

export interface ReportPageOptions {
  /** Folder of the cluster. */
  readonly folder: string;
  /** The one that the workers share. */
  readonly directory: string;
  readonly port: number;
}

export function startReportPage({ folder, directory, port }: ReportPageOptions): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name: 'report page',
    args: fromSource(PROGRAM, directory, String(port)),
    env: {},
    cwd: ROOT,
    logFile: join(folder, 'report-page.log'),
    isReady: () => isListening(port),
  });
}

/** What a tool is told to append ids to. */
export function pageUrlAt(port: number): string {
  return `http://127.0.0.1:${port}/connect/`;
}

/** A person who is signed in there presses a button. */
export async function pressOnPage(
  address: string,
  { user, decision }: { user: string; decision: string },
): Promise<string> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Cookie: `user=${user}` },
    body: new URLSearchParams({ decision }),
  });
  return response.text();
}
