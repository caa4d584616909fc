import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoardSessions } from './board-sessions.js';

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

/** The pages of a queue that has some. */
export interface QueueBoards {
  /** @param path of the board, for its links. */
  open(path: string): Promise<QueueBoard>;
  sessions: BoardSessions;
}

/** Injects the `QueueBoards` of the back end, where its queue has pages. */
export const QUEUE_BOARDS = Symbol('QueueBoards');
