import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.js';

/** Bytes in use of this process: one collection frees some buffers only when the next one begins. */
export async function memoryInUse(): Promise<{ heap: number; buffers: number }> {
  let buffers = Number.POSITIVE_INFINITY;
  for (;;) {
    await yieldToEventLoop();
    collectGarbage();
    const { arrayBuffers, heapUsed: heap } = process.memoryUsage();
    if (arrayBuffers >= buffers) return { heap, buffers };
    buffers = arrayBuffers;
  }
}
