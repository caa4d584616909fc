import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers requests for the board of the queue's jobs.
 *
 * @param next called for what it has no page for.
 */
export type QueueBoard = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;
