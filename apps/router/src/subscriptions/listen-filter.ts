/** What a client wants to hear (F-01): parsed strictly, because a filter half understood would leave it waiting. */
import { RoundhouseError } from '@roundhouse/errors';
import { URI_CHARS_MAX, isJsonObject } from '@roundhouse/protocol';

/** Resources one stream may follow. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 256;

export interface ListenFilter {
  readonly toolsListChanged: boolean;
  readonly promptsListChanged: boolean;
  readonly resourcesListChanged: boolean;
  readonly resources: ReadonlySet<string>;
}

export function parseListenFilter(value: unknown): ListenFilter {
  if (!isJsonObject(value)) throw invalid('notifications must be an object');
  return {
    toolsListChanged: flag(value, 'toolsListChanged'),
    promptsListChanged: flag(value, 'promptsListChanged'),
    resourcesListChanged: flag(value, 'resourcesListChanged'),
    resources: resourceSubscriptions(value['resourceSubscriptions']),
  };
}

/** The subset that is honoured, as it stands in the acknowledgement (F-02): only what was asked for. */
export function honoured(filter: ListenFilter): Record<string, unknown> {
  return {
    ...(filter.toolsListChanged && { toolsListChanged: true }),
    ...(filter.promptsListChanged && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && { resourcesListChanged: true }),
    ...(filter.resources.size > 0 && { resourceSubscriptions: [...filter.resources] }),
  };
}

function flag(value: Readonly<Record<string, unknown>>, name: string): boolean {
  const wanted = value[name];
  if (wanted !== undefined && typeof wanted !== 'boolean') throw invalid(`notifications.${name} must be a boolean`);
  return wanted === true;
}

function resourceSubscriptions(value: unknown): ReadonlySet<string> {
  if (value === undefined) return new Set();
  const sound = Array.isArray(value) && value.length <= RESOURCE_SUBSCRIPTIONS_MAX && value.every(isUri);
  if (!sound)
    throw invalid(`notifications.resourceSubscriptions must be a list of at most ${RESOURCE_SUBSCRIPTIONS_MAX} URIs`);
  return new Set(value as string[]);
}

function isUri(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= URI_CHARS_MAX;
}

function invalid(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_params', { detail });
}
