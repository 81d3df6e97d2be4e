export { Ask } from './ask-parameter.js';
export { Call, type AnswersOf, type AskableWith, type OpenCall } from './call.js';
export { CatalogueChanges } from './catalogue-changes.js';
export {
  audio,
  embedded,
  failure,
  image,
  resourceLink,
  structured,
  text,
  type Annotations,
  type ContentBlock,
  type ResourceContents,
  type ResourceLink,
  type ToolResult,
  type ToolReturn,
} from './content.js';
export {
  Complete,
  Prompt,
  Resource,
  Tool,
  type CompletionReturn,
  type PromptMessage,
  type PromptReturn,
  type ResourceReturn,
  type ToolAnnotations,
  type ToolOptions,
  type Variables,
} from './declarations.js';
export { ResourceMissing, StepFailed, ToolFailure } from './failures.js';
export {
  boolean,
  form,
  integer,
  manyOf,
  number,
  oneOf,
  optional,
  rawForm,
  string,
  type Choice,
  type Field,
  type Fields,
  type FormAnswer,
  type FormContent,
} from './form.js';
export { WORKER_LIMITS, type WorkerLimits } from './limits.js';
export {
  Question,
  roots,
  sample,
  url,
  type RootsAnswer,
  type SamplingAnswer,
  type SamplingRequest,
  type UrlAnswer,
} from './question.js';
export { asking, outcomeOf, type Asked, type Outcome, type Resolver, type ResolverCall } from './resolver.js';
export { WorkerDrain } from './worker-drain.js';
export { WorkerMeasures } from './worker-measures.js';
export { WorkerModule, type WorkerOptions } from './worker.module.js';
