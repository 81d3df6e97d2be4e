/**
 * Everything a worker process serves, found once at boot from the decorators on its providers. What cannot work is
 * refused here, before the process takes a call.
 */
import { createHash } from 'node:crypto';
import { MetadataScanner } from '@nestjs/core';
import type { CallRequest, CatalogueEntry, WorkerCatalogue } from '@roundhouse/contracts';
import {
  checkPromptDefinition,
  checkResourceDefinition,
  checkResourceTemplateDefinition,
  checkToolDefinition,
} from '@roundhouse/protocol';
import { askedParametersOf } from './ask-parameter.js';
import { AskPlan } from './ask-plan.js';
import { CompletionEndpoint, type CompletionReference } from './completion-endpoint.js';
import {
  declarationsOf,
  type CompleteOptions,
  type CompletionMethod,
  type Declaration,
  type PromptMethod,
  type ResourceMethod,
  type ToolMethod,
  type ToolOptions,
} from './declarations.js';
import type { Endpoint } from './endpoint.js';
import type { WorkerLimits } from './limits.js';
import { PromptEndpoint } from './prompt-endpoint.js';
import { assertToolOptions } from './tool-rules.js';
import { ResourceEndpoint } from './resource-endpoint.js';
import { ToolEndpoint, type ToolLimits, type ToolParts } from './tool-endpoint.js';

type Method = (...args: never[]) => unknown;

export interface WorkerIdentity {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

export interface RegistryOptions {
  readonly worker: WorkerIdentity;
  readonly limits: ToolLimits & Pick<WorkerLimits, 'callsMax'>;
}

export class Registry {
  readonly catalogue: WorkerCatalogue;
  private readonly tools = new Map<string, ToolEndpoint>();
  private readonly prompts = new Map<string, PromptEndpoint>();
  private readonly resources = new Map<string, ResourceEndpoint>();
  private readonly templates = new Map<string, ResourceEndpoint>();
  private readonly completers = new Map<string, CompletionMethod>();
  private readonly completion = new CompletionEndpoint({
    isKnown: (reference) => this.isKnown(reference),
    find: (reference, argument) => this.completers.get(completerKey(toReferenceName(reference), argument)),
  });

  constructor(
    providers: readonly object[],
    private readonly options: RegistryOptions,
  ) {
    for (const provider of providers) this.addProvider(provider);
    for (const key of this.completers.keys()) this.assertCompletes(JSON.parse(key) as [string, string]);
    this.catalogue = this.toCatalogue();
  }

  /** Undefined: nothing here has that name. */
  find({ method, target }: Pick<CallRequest, 'method' | 'target'>): Endpoint | undefined {
    switch (method) {
      case 'tools/call':
        return this.tools.get(target);
      case 'prompts/get':
        return this.prompts.get(target);
      case 'completion/complete':
        return this.completion;
      case 'resources/read':
        return this.resources.get(target) ?? this.findTemplate(target);
      default:
        return undefined;
    }
  }

  private findTemplate(uri: string): ResourceEndpoint | undefined {
    for (const endpoint of this.templates.values()) if (endpoint.match(uri) !== undefined) return endpoint;
    return undefined;
  }

  private addProvider(provider: object): void {
    const prototype = Object.getPrototypeOf(provider) as Record<string, object>;
    for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
      const method = prototype[name] as Method;
      const bound = method.bind(provider);
      for (const declaration of declarationsOf(method)) {
        if (declaration.kind === 'tool')
          this.addTool(declaration.options, {
            method: bound as ToolMethod<never>,
            asks: planOf(declaration.options, method),
          });
        else this.add(declaration, withoutAsks(method, bound));
      }
    }
  }

  private addTool(options: ToolOptions, parts: ToolParts): void {
    assertToolOptions(options);
    addOnce(this.tools, new ToolEndpoint(options, parts, this.options.limits), checkToolDefinition);
  }

  private add({ kind, options }: Exclude<Declaration, { kind: 'tool' }>, method: Method): void {
    switch (kind) {
      case 'prompt':
        return addOnce(this.prompts, new PromptEndpoint(options, method as PromptMethod), checkPromptDefinition);
      case 'resource': {
        const endpoint = new ResourceEndpoint(options, method as ResourceMethod);
        return options.uri === undefined
          ? addOnce(this.templates, endpoint, checkResourceTemplateDefinition)
          : addOnce(this.resources, endpoint, checkResourceDefinition);
      }
      case 'completion':
        return this.addCompleter(options, method as CompletionMethod);
    }
  }

  private addCompleter({ prompt, uriTemplate, argument }: CompleteOptions, method: CompletionMethod): void {
    const key = completerKey(prompt ?? uriTemplate, argument);
    if (this.completers.has(key)) throw new Error(`The completion of "${argument}" is declared twice`);
    this.completers.set(key, method);
  }

  private isKnown(reference: CompletionReference): boolean {
    const name = toReferenceName(reference);
    return reference.type === 'ref/prompt'
      ? this.prompts.has(name)
      : this.templates.has(name) || this.resources.has(name);
  }

  private assertCompletes([name]: [string, string]): void {
    if (!this.prompts.has(name) && !this.templates.has(name))
      throw new Error(`A completion is declared for "${name}", which this worker does not have`);
  }

  private toCatalogue(): WorkerCatalogue {
    const lists = {
      tools: [...this.tools.values()].map(({ entry }) => entry),
      prompts: [...this.prompts.values()].map(({ entry }) => entry),
      resources: [...this.resources.values()].map(({ entry }) => entry),
      resourceTemplates: [...this.templates.values()].map(({ entry }) => entry),
    };
    const { worker, limits } = this.options;
    const { name, version, title } = worker;
    const hash = createHash('sha256').update(JSON.stringify(lists)).digest('base64url');
    const { callsMax } = limits;
    return { worker: { name, version, ...(title !== undefined && { title }) }, hash, callsMax, ...lists };
  }
}

function planOf({ name }: ToolOptions, method: Method): AskPlan {
  try {
    return AskPlan.of(method);
  } catch (error) {
    throw new Error(`Tool "${name}": ${(error as Error).message}`, { cause: error });
  }
}

function withoutAsks(method: Method, bound: Method): Method {
  if (askedParametersOf(method).size > 0) throw new Error(`@Ask on "${method.name}", which is no tool`);
  return bound;
}

function toReferenceName(reference: CompletionReference): string {
  return reference.type === 'ref/prompt' ? reference.name : reference.uri;
}

function completerKey(name: string, argument: string): string {
  return JSON.stringify([name, argument]);
}

function addOnce<E extends { readonly entry: CatalogueEntry }>(
  all: Map<string, E>,
  endpoint: E,
  check: (definition: unknown) => string | undefined,
): void {
  const { name, json } = endpoint.entry;
  const reason = check(JSON.parse(json));
  if (reason !== undefined) throw new Error(`"${name}" ${reason}`);
  if (all.has(name)) throw new Error(`"${name}" is declared twice`);
  all.set(name, endpoint);
}
