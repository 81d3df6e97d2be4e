/** Whether the heap of Node follows the memory limit of its container, told by the images themselves. */
import { runContainer } from './container.js';
import type { UnpackedImages } from './unpacked-images.js';

const LIMITS_MIB = [128, 256, 1024];
/** Of the limit. The young generation, up to 48 MiB of large heaps, comes on top of the three quarters that the image sets. */
const SHARE = { min: 0.7, max: 0.85 };
const ASK = 'process.stdout.write(String(require("node:v8").getHeapStatistics().heap_size_limit))';
const FILL = 'const all = []; for (;;) all.push({ all: [...all.slice(-64)] })';
/** What the kernel's end by SIGKILL looks like. */
const KILLED = 137;

export interface HeapFinding {
  readonly limitMiB: number;
  readonly heapMiB: number;
}

export interface HeapFindings {
  readonly heaps: readonly HeapFinding[];
  readonly problems: readonly string[];
}

export function measureHeaps(folder: string, images: UnpackedImages): HeapFindings {
  const heaps = LIMITS_MIB.map((limitMiB) => {
    const { output } = run({ folder, images, limitMiB, script: ASK });
    return { limitMiB, heapMiB: Math.round(Number(output) / 1024 / 1024) };
  });
  const problems = heaps
    .filter(({ limitMiB, heapMiB }) => !(heapMiB >= limitMiB * SHARE.min && heapMiB <= limitMiB * SHARE.max))
    .map(({ limitMiB, heapMiB }) => `with ${limitMiB} MiB of memory the heap is ${heapMiB} MiB`);
  return { heaps, problems: [...problems, ...endOfFullHeap(folder, images)] };
}

/** A full heap has to end with Node's own words: of a process that the kernel kills nobody knows why. */
function endOfFullHeap(folder: string, images: UnpackedImages): string[] {
  const { code, output } = run({ folder, images, limitMiB: 128, script: FILL });
  if (code !== 0 && code !== KILLED && output.includes('heap out of memory')) return [];
  return [`a full heap ended with ${code}, and not in Node's own words`];
}

interface Question {
  readonly folder: string;
  readonly images: UnpackedImages;
  readonly limitMiB: number;
  readonly script: string;
}

function run({ folder, images, limitMiB, script }: Question) {
  const plan = { ...images.get('router'), memoryMiB: limitMiB, args: ['-e', script] };
  return runContainer({ name: `heap-${limitMiB}`, folder, plan });
}
