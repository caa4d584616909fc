import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { turnQueueConformance } from './turn-queue.js';

turnQueueConformance('MemoryTurnQueue', async () => {
  const errors: unknown[] = [];
  return { queue: new MemoryTurnQueue((error) => void errors.push(error)), errors };
});
