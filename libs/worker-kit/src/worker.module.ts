/**
 * Makes a worker out of provider classes with decorated methods. Everything they declare is checked when the module is
 * built, so a worker that cannot serve does not start.
 */
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import type { ModuleMetadata } from '@nestjs/common';
import { CallRunner } from './call-runner.js';
import { CatalogueChanges } from './catalogue-changes.js';
import { WORKER_LIMITS, type WorkerLimits } from './limits.js';
import { Registry, type WorkerIdentity } from './registry.js';
import { WorkerDrain } from './worker-drain.js';
import { WorkerMeasures } from './worker-measures.js';
import { WorkerController } from './worker.controller.js';

export interface WorkerOptions extends WorkerIdentity {
  /** Classes with `@Tool`, `@Resource`, `@Prompt` or `@Complete` methods, in the order in which lists show them. */
  readonly tools: readonly Type[];
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: readonly Provider[];
  readonly limits?: Partial<WorkerLimits>;
}

@Module({})
export class WorkerModule {
  static register({ tools, imports, providers, limits: given, ...worker }: WorkerOptions): DynamicModule {
    const limits: WorkerLimits = { ...WORKER_LIMITS, ...given };
    return {
      module: WorkerModule,
      imports: [...(imports ?? [])],
      controllers: [WorkerController],
      providers: [
        CatalogueChanges,
        WorkerDrain,
        WorkerMeasures,
        ...(providers ?? []),
        ...tools,
        {
          provide: Registry,
          useFactory: (...instances: object[]) => new Registry(instances, { worker, limits }),
          inject: [...tools],
        },
        {
          provide: CallRunner,
          useFactory: (registry: Registry, drain: WorkerDrain, measures: WorkerMeasures) =>
            new CallRunner({ registry, drain, limits, measures }),
          inject: [Registry, WorkerDrain, WorkerMeasures],
        },
      ],
      exports: [CatalogueChanges, WorkerDrain, WorkerMeasures],
    };
  }
}
