/**
 * What a tool declaration must keep beyond the protocol's rules for definitions. A breach is a bug of the author and
 * ends the boot.
 */
import { Logger } from '@nestjs/common';
import type { ToolOptions } from './declarations.js';

const logger = new Logger('WorkerKit');

/** Throws on what cannot work; warns about what is only dangerous. */
export function assertToolOptions(options: ToolOptions): void {
  const { name, description, input, rawInputSchema, answers, singleUse, annotations } = options;
  const refuse = (rule: string): never => {
    throw new Error(`Tool "${name}": ${rule}`);
  };
  if (description === '') refuse('a description is required');
  if (input !== undefined && rawInputSchema !== undefined) refuse('give input or rawInputSchema, not both');
  const isDestructive = annotations?.destructiveHint === true;
  if (answers === 'open' && (singleUse === true || isDestructive)) {
    refuse('open answers can be sent by anyone at any time, so never with singleUse or destructiveHint');
  }
  if (options.onDisconnect !== undefined && singleUse !== true) refuse('onDisconnect goes with singleUse');
  if (isDestructive && singleUse !== true)
    logger.warn(`Tool "${name}" is destructive but not singleUse: a confirmation sent twice runs twice`);
}
