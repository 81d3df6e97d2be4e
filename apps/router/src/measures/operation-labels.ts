/** Labels of an operation, none of which a caller can make up (OBS-10). */
import { isModernMethod } from '@roundhouse/protocol';
import { OTHER_METHOD } from '@roundhouse/telemetry';
import type { Route } from '../catalogue/route.js';

export function methodLabel(method: string): string {
  return isModernMethod(method) ? method : OTHER_METHOD;
}

/** Routes come from the catalogue, so their names are known ones. */
export function toolLabel(route: Route | undefined): string {
  return route?.kind === 'tools' ? route.publicName : '';
}

export function promptLabel(route: Route | undefined): string {
  return route?.kind === 'prompts' ? route.publicName : '';
}
