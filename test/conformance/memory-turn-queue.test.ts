import { MemoryTurnQueue } from '../../src/turn/queue/memory-turn-queue.js';
import { turnQueueConformance } from './turn-queue.js';

turnQueueConformance('MemoryTurnQueue', async (concurrency) => {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  return { queue: new MemoryTurnQueue({ concurrency, onError }), errors };
});
