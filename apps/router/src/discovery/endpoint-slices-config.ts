/** Settings of endpoints that are found by EndpointSlices: of one Service by its name, or of all that carry certain labels. */
import { z } from 'zod';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** As kubectl takes it; the API server judges it. */
const LABEL_SELECTOR = /^[A-Za-z0-9_./=!,() -]+$/;
/** Ports that other gateways know by these speak MCP. Between them and a router a worker has to be. */
const MCP_PROTOCOL = /^(agentgateway\.dev|kgateway\.dev)\/mcp(-sse)?$/;

export const endpointSlices = z
  .strictObject({
    service: z
      .string()
      .regex(DNS_LABEL, 'must be the name of a Service')
      .optional()
      .describe('Service whose ready pods are used.'),
    selector: z
      .string()
      .max(1_024)
      .regex(LABEL_SELECTOR, 'must be a label selector, such as app.kubernetes.io/component=mcp-worker')
      .optional()
      .describe('Labels instead of a name: the ready pods of every Service that has them are used.'),
    namespace: z
      .string()
      .regex(DNS_LABEL, 'must be the name of a namespace')
      .optional()
      .describe('Namespace of the Service; by default that of this pod.'),
    portName: z.string().min(1).max(63).default('rpc').describe('Name of the port in the Service.'),
    appProtocol: z
      .string()
      .min(1)
      .max(253)
      .refine((protocol) => !MCP_PROTOCOL.test(protocol), 'is of a port that speaks MCP; routers call workers')
      .optional()
      .describe('The port is the one with this appProtocol, whatever its name.'),
  })
  .refine(
    ({ service, selector }) => (service === undefined) !== (selector === undefined),
    'needs one of service and selector',
  );
