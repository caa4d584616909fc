import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import path from 'node:path';
import { packageRoot } from '../../platform/process/package-root.js';
import type { QueueBoard } from './queue-board.js';

/**
 * Bull Board over the turn queue, read-only: a job is a token, and a change of the job
 * changes nothing about a turn.
 *
 * @param basePath the path that it is under, for the links of its page.
 */
export function openBullBoard(queue: Queue, basePath: string): QueueBoard {
  const adapter = new ExpressAdapter().setBasePath(basePath);
  createBullBoard({
    queues: [
      new BullMQAdapter(queue, {
        readOnlyMode: true,
        description: 'Tokens for workers: something waits. The turns are in the database.',
      }),
    ],
    serverAdapter: adapter,
    options: {
      uiBasePath: path.join(packageRoot, 'dist/board'),
      // The page's manual is about changing jobs.
      uiConfig: { boardTitle: 'Turnpike', hideDocsLink: true },
    },
  });
  const app = adapter.getRouter();
  app.disable('x-powered-by');
  return app;
}
