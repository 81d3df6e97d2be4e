/**
 * What a client must have declared before it may be asked something (basic/index, client capabilities; client/*).
 * Capabilities are compared by presence, down to the sub-mode: settings inside them are the peer's affair.
 */
import { isJsonObject, ownMember, setOwn, type JsonObject } from '../json-object.js';

/** An entry of `inputRequests`: a bare method with its params. */
export interface AskShape {
  readonly method: string;
  readonly params?: JsonObject;
}

/**
 * The smallest capabilities object that `declared` lacks of `needed`, ready for the data of -32021; undefined when it
 * lacks nothing. Whatever is declared as anything but an object counts as not declared.
 */
export function missingCapabilities(needed: JsonObject, declared: JsonObject): Record<string, unknown> | undefined {
  const missing: Record<string, unknown> = {};
  for (const capability of Object.keys(needed)) {
    const lack = missingModes(modesOf(capability, needed), modesOf(capability, declared));
    if (lack) setOwn(missing, capability, lack);
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}

/** The capabilities that one ask needs, e.g. `{ elicitation: { form: {} } }`; `{}` for a method nobody knows. */
export function capabilitiesOfAsk(ask: AskShape): Record<string, unknown> {
  switch (ask.method) {
    case 'elicitation/create':
      return { elicitation: ask.params?.mode === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage':
      return { sampling: usesTools(ask.params) ? { tools: {} } : {} };
    case 'roots/list':
      return { roots: {} };
    default:
      return {};
  }
}

function usesTools(params: JsonObject | undefined): boolean {
  return params?.tools !== undefined || params?.toolChoice !== undefined;
}

/** The object of one capability; an elicitation that names no mode means form. */
function modesOf(capability: string, capabilities: JsonObject): JsonObject | undefined {
  const modes = ownMember(capabilities, capability);
  if (!isJsonObject(modes)) return undefined;
  const namesNoMode = capability === 'elicitation' && !Object.hasOwn(modes, 'form') && !Object.hasOwn(modes, 'url');
  return namesNoMode ? { ...modes, form: {} } : modes;
}

function missingModes(needed: JsonObject | undefined, declared: JsonObject | undefined): JsonObject | undefined {
  const lack: Record<string, unknown> = {};
  for (const mode of Object.keys(needed ?? {})) {
    if (!declared || !isJsonObject(ownMember(declared, mode))) setOwn(lack, mode, {});
  }
  return declared && Object.keys(lack).length === 0 ? undefined : lack;
}
