import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { QueueBoard } from './queue-board.js';
import type { TurnJob } from './turn.processor.js';

/**
 * Bull Board over the turn queue, read-only: a job is a wake-up of a turn, and a change of the job
 * changes nothing about the turn.
 *
 * @param path it is under, for the links of its page.
 */
export function openBullBoard(queue: Queue<TurnJob>, path: string): QueueBoard {
  const adapter = new ExpressAdapter().setBasePath(path);
  createBullBoard({
    queues: [
      new BullMQAdapter(queue, {
        readOnlyMode: true,
        description: 'Wake-ups of turns. The turns themselves are in the database.',
      }),
    ],
    serverAdapter: adapter,
    options: {
      // The page's manual is about changing jobs.
      uiConfig: { boardTitle: 'Turnpike', hideDocsLink: true },
    },
  });
  const app = adapter.getRouter();
  app.disable('x-powered-by');
  return app;
}
