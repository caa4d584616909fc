import { MemoryTurnQueue } from '../../src/turn/queue/memory-turn-queue.js';
import { turnQueueConformance } from './turn-queue.js';

turnQueueConformance('MemoryTurnQueue', async (concurrency) => {
  const errors = new Map<string, unknown>();
  const onError = (turnId: string, error: unknown): void => void errors.set(turnId, error);
  return { queue: new MemoryTurnQueue({ concurrency, onError }), errors };
});
