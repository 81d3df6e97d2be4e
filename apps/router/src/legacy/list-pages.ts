/** Pages of lists for older revisions: made from each modern page when it is first asked for, and gone together with it. */
import { Buffer } from 'node:buffer';
import { legacyListPage, type LegacyRevision } from '@roundhouse/protocol';

const made = new WeakMap<Buffer, Map<LegacyRevision, Buffer>>();

export function listPageFor(page: Buffer, revision: LegacyRevision): Buffer {
  const ofPage = made.get(page) ?? new Map<LegacyRevision, Buffer>();
  made.set(page, ofPage);
  const known = ofPage.get(revision);
  if (known !== undefined) return known;
  const reduced = Buffer.from(legacyListPage(page.toString('utf8'), revision));
  ofPage.set(revision, reduced);
  return reduced;
}
