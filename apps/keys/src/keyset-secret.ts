/**
 * The keyset in a Secret, changed in place. The API server refuses a change to a Secret that is not any more what was
 * read, so two runs at once cannot overwrite each other: none needs a lock.
 */
import type { KeysetEntry } from '@roundhouse/sealed-state';
import type { ClusterAccess } from './cluster-access.js';
import { KeysetExists, toKeyset, toText, type KeysetChange, type KeysetHome, type KeysetText } from './keyset-home.js';
import { EXIT, Refusal } from './refusal.js';
import { SecretApi, type Secret } from './secret-api.js';

const CHANGED = 'another run has changed the Secret meanwhile: run again';

export class KeysetSecret implements KeysetHome {
  private readonly api: SecretApi;
  private readonly name: string;
  private readonly key: string;

  constructor(access: ClusterAccess, { secret, key }: { readonly secret: string; readonly key: string }) {
    this.api = new SecretApi(access);
    this.name = secret;
    this.key = key;
  }

  async read(): Promise<KeysetText> {
    return toKeyset((await this.readSecret()).text);
  }

  async create(keys: readonly KeysetEntry[]): Promise<void> {
    const data = { [this.key]: toBase64(toText(keys)) };
    if (!(await this.api.create({ metadata: { name: this.name }, data }))) throw new KeysetExists();
  }

  async update(seen: string, change: KeysetChange): Promise<void> {
    const { secret, text } = await this.readSecret();
    if (text !== seen) throw new Refusal(CHANGED, EXIT.busy);
    const { keys } = toKeyset(text);
    const next = change(keys);
    if (next === keys) return;
    const data = { ...secret.data, [this.key]: toBase64(toText(next)) };
    if (!(await this.api.replace({ ...secret, data }))) throw new Refusal(CHANGED, EXIT.busy);
  }

  private async readSecret(): Promise<{ readonly secret: Secret; readonly text: string }> {
    const secret = await this.api.get(this.name);
    if (secret === undefined) throw new Refusal(`there is no Secret ${this.name}: add --create makes it`, EXIT.failed);
    const encoded = secret.data?.[this.key];
    if (encoded === undefined) throw new Refusal(`the Secret ${this.name} has no key ${this.key}`, EXIT.failed);
    return { secret, text: Buffer.from(encoded, 'base64').toString('utf8') };
  }
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
