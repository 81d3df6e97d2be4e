/** Certificates for tests, made by the openssl of the machine: an authority, and what it or another one signed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackage } from './debian-package.js';
import { findOnPath } from './executables.js';

const DAYS = '2';
const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export class TestAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), 'roundhouse-certificates-'));
  private readonly caFile = join(this.folder, 'ca.crt');
  private readonly caKeyFile = join(this.folder, 'ca.key');
  private count = 0;

  private constructor(name: string) {
    const subject = ['-subj', `/CN=${name}`, '-days', DAYS];
    openssl('req', '-x509', ...CURVE, ...subject, '-keyout', this.caKeyFile, '-out', this.caFile);
  }

  static async create(name = 'Roundhouse tests'): Promise<TestAuthority> {
    if (findOnPath('openssl', process.env) === undefined)
      await installDebianPackage({
        name: 'openssl',
        isThere: 'command -v openssl',
        env: process.env,
        isRoot: process.getuid?.() === 0,
        otherwise: 'and have it on PATH.',
      });
    return new TestAuthority(name);
  }

  /** Signs a certificate for these DNS names, good for servers and clients. */
  issue(...names: readonly string[]): CertificateFiles {
    this.count += 1;
    const base = join(this.folder, `leaf-${this.count}`);
    const [certFile, keyFile] = [`${base}.crt`, `${base}.key`];
    const extensions = [
      `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
      'extendedKeyUsage=serverAuth,clientAuth',
    ];
    writeFileSync(`${base}.ext`, extensions.join('\n'));
    openssl('req', ...CURVE, '-subj', `/CN=${names[0]}`, '-keyout', keyFile, '-out', `${base}.csr`);
    const signer = ['-CA', this.caFile, '-CAkey', this.caKeyFile, '-days', DAYS, '-extfile', `${base}.ext`];
    openssl('x509', '-req', '-in', `${base}.csr`, ...signer, '-out', certFile);
    return { certFile, keyFile, caFile: this.caFile };
  }
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
