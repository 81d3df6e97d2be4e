/**
 * The reference worker: which tools it serves is configuration. The fixtures of the conformance suite come first when
 * they are served, because the suite calls the first tool of the list with empty arguments.
 */
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { WorkerModule } from '@roundhouse/worker-kit';
import type { ToolWorkerConfig } from './config.js';
import { AskingTools } from './conformance/asking-tools.js';
import { ContentTools } from './conformance/content-tools.js';
import { LegacyTools } from './conformance/legacy-tools.js';
import { NotifyingTools } from './conformance/notifying-tools.js';
import { ReadingFixtures } from './conformance/reading-fixtures.js';
import { DiagnosticTools, generatedEchoTools } from './diagnostics/diagnostic-tools.js';
import { RecordedRunModule, RecordedRunTool } from './diagnostics/recorded-run.js';
import { BankModule } from './tools/bank-transfer/bank.module.js';
import { BankTransferTool } from './tools/bank-transfer/tool.js';
import { BankTransferFormTool } from './tools/bank-transfer-form/tool.js';
import { ReportsModule } from './tools/connect-report-service/reports.module.js';
import { ConnectReportServiceTool } from './tools/connect-report-service/tool.js';
import { ReleasesModule } from './tools/deploy-service/releases.module.js';
import { DeployServiceTool } from './tools/deploy-service/tool.js';
import { DraftsModule } from './tools/draft-delete/drafts.module.js';
import { DraftDeleteTool } from './tools/draft-delete/tool.js';
import { NotesModule } from './tools/notes-delete/notes.module.js';
import { NotesDeleteTool } from './tools/notes-delete/tool.js';
import { ShopModule } from './tools/purchase/shop.module.js';
import { PurchaseTool } from './tools/purchase/tool.js';
import { ProjectsModule } from './tools/refactor-plan/projects.module.js';
import { RefactorPlanTool } from './tools/refactor-plan/tool.js';

const VERSION = '0.1.0';

@Module({})
export class ToolWorkerModule {
  static forConfig(config: ToolWorkerConfig): DynamicModule {
    const parts = partsOf(config);
    return {
      module: ToolWorkerModule,
      imports: [
        WorkerModule.register({
          name: 'roundhouse-tool-worker',
          version: VERSION,
          title: 'Roundhouse reference tools',
          tools: parts.flatMap(({ tools }) => tools),
          imports: parts.flatMap(({ imports }) => imports ?? []),
        }),
      ],
    };
  }
}

interface Part {
  readonly tools: readonly Type[];
  readonly imports?: readonly DynamicModule[];
}

function partsOf(config: ToolWorkerConfig): readonly Part[] {
  const all: Readonly<Record<ToolWorkerConfig['modules'][number], () => Part>> = {
    conformance: () => ({ tools: [ContentTools, AskingTools, NotifyingTools, LegacyTools, ReadingFixtures] }),
    reference: () => referencePart(config),
    diagnostics: () => diagnosticsPart(config),
  };
  const names = Object.keys(all) as (keyof typeof all)[];
  return names.filter((name) => config.modules.includes(name)).map((name) => all[name]());
}

function referencePart({ notes, bank, projects, reports, examples: { directory } }: ToolWorkerConfig): Part {
  const { pageUrl } = reports;
  return {
    tools: [
      NotesDeleteTool,
      BankTransferTool,
      BankTransferFormTool,
      DraftDeleteTool,
      DeployServiceTool,
      PurchaseTool,
      RefactorPlanTool,
      ...(pageUrl === undefined ? [] : [ConnectReportServiceTool]),
    ],
    imports: [
      NotesModule.forConfig(notes),
      BankModule.forConfig(bank),
      DraftsModule.inDirectory(directory),
      ReleasesModule.inDirectory(directory),
      ShopModule.inDirectory(directory),
      ProjectsModule.forConfig(projects),
      ...(pageUrl === undefined ? [] : [ReportsModule.with({ pageUrl, directory })]),
    ],
  };
}

function diagnosticsPart({ diagnostics: { directory }, extraTools }: ToolWorkerConfig): Part {
  return {
    tools: [
      DiagnosticTools,
      ...(directory === undefined ? [] : [RecordedRunTool]),
      ...(extraTools === 0 ? [] : [generatedEchoTools(extraTools)]),
    ],
    imports: directory === undefined ? [] : [RecordedRunModule.inDirectory(directory)],
  };
}
