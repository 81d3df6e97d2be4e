/**
 * EndpointSlices (discovery.k8s.io/v1) as far as we read them. `ready` alone decides: it is false for a pod that is going
 * away, whatever it still serves (DSC-2). A pod stands in several slices at once while the controller moves it, and in
 * two families on a dual-stack Service, so what counts is the pod.
 */
import { isIP } from 'node:net';
import type { Address } from '@roundhouse/service-kit';
import { z } from 'zod';

const endpointSchema = z.object({
  addresses: z.array(z.string()).min(1),
  conditions: z.object({ ready: z.boolean().nullish() }).nullish(),
  targetRef: z.object({ uid: z.string().nullish() }).nullish(),
});

export const endpointSliceSchema = z.object({
  metadata: z.object({ name: z.string() }),
  addressType: z.string(),
  endpoints: z.array(endpointSchema).nullish(),
  ports: z
    .array(
      z.object({
        name: z.string().nullish(),
        port: z.int().min(1).max(65_535).nullish(),
        appProtocol: z.string().nullish(),
      }),
    )
    .nullish(),
});

export type EndpointSlice = z.infer<typeof endpointSliceSchema>;

/** Which port of a Service is meant: the one with this protocol, or else the one of this name. */
export interface PortChoice {
  readonly portName: string;
  readonly appProtocol?: string | undefined;
}

/** One address for each ready pod, IPv4 before IPv6, in a stable order. Slices without such a port have none. */
export function readyAddresses(slices: Iterable<EndpointSlice>, choice: PortChoice): Address[] {
  const byPod = new Map<string, Address>();
  const inOrder = [...slices].sort((a, b) => compare(a.addressType, b.addressType) || compareNames(a, b));
  for (const slice of inOrder) {
    const port = portOf(slice, choice);
    if (port === undefined) continue;
    for (const { addresses, conditions, targetRef } of slice.endpoints ?? []) {
      const host = addresses[0];
      // The API says that an unknown readiness is to be taken as ready.
      if (host === undefined || isIP(host) === 0 || conditions?.ready === false) continue;
      const pod = targetRef?.uid ?? host;
      if (!byPod.has(pod)) byPod.set(pod, { host, port });
    }
  }
  return [...byPod.values()];
}

function portOf({ ports }: EndpointSlice, { portName, appProtocol }: PortChoice): number | undefined {
  const found = ports?.find((port) =>
    appProtocol === undefined ? (port.name ?? '') === portName : port.appProtocol === appProtocol,
  );
  return found?.port ?? undefined;
}

const compareNames = (a: EndpointSlice, b: EndpointSlice): number => compare(a.metadata.name, b.metadata.name);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
