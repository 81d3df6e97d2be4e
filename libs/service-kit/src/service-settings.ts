/** Settings that all services have alike: where they listen, the operator's port, certificates of the rpc. */
import { z } from 'zod';

const port = z.int().min(0).max(65_535);
const pemFile = (what: string) => z.string().min(1).max(4_096).describe(`Path of ${what}, in PEM.`);

/** The files of a `TlsIdentity`. */
export const tlsFileSettings = {
  certFile: pemFile('the certificate that is shown to the other side'),
  keyFile: pemFile('its key'),
  caFile: pemFile('the authorities whose certificates are taken'),
};

const listenTls = z.strictObject({
  ...tlsFileSettings,
  clientNames: z
    .array(z.string().min(1).max(253))
    .min(1)
    .max(16)
    .describe('DNS names of routers: callers whose certificate is made out to none of them are refused.'),
});

/** The rpc port of a microservice. */
export function rpcListenSettings(defaultPort: number) {
  return z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Interface of the rpc port.'),
      port: port.default(defaultPort).describe('Rpc port, for routers only.'),
      tls: listenTls.optional().describe('Certificates for both sides of the rpc. Followed while the process runs.'),
    })
    .prefault({});
}

/** The operator's port; `pages` names what it shows besides what every one does. */
export function adminSettings(pages = '') {
  return z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Interface of the operator’s port.'),
      port: port.describe(`Operator’s port: /startupz, /livez, /readyz, /loglevel${pages}.`),
    })
    .optional();
}
