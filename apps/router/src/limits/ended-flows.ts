/**
 * Which flows ended here a moment ago: a last round may come twice, and its flow ends once. A table of fixed size whose
 * entries overwrite each other, so that remembering costs no allocation; what it forgot counts once more.
 */

const ENTRIES = 8_192;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x5bd1e995;

export class EndedFlows {
  /** A second hash where the first one leads to. Flow ids are random, and ours: nobody can choose them. */
  private readonly marks = new Uint32Array(ENTRIES);

  /** False when it ended here before. */
  note(flowId: string): boolean {
    const at = hashOf(flowId, FIRST_SEED) % ENTRIES;
    const mark = hashOf(flowId, SECOND_SEED) || 1;
    if (this.marks[at] === mark) return false;
    this.marks[at] = mark;
    return true;
  }
}

/** FNV-1a with a seed. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
