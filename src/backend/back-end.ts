import type { BoardSessions } from '../access/board/board-sessions.js';
import type { RequestCounter } from '../access/rate/request-counter.js';
import type { BlobContents } from '../attachments/blobs/blob-contents.js';
import type { Config } from '../config/config.js';
import type { EventLog } from '../events/event-log.js';
import type { Clock } from '../platform/clock.js';
import type { QueueBoard } from '../ops/queue-board.js';
import type { Logger } from '../platform/logger.js';
import type { OpenedDatabase } from '../storage/connection.js';
import type { SignalBus } from '../turn/queue/signal-bus.js';
import type { TurnQueue } from '../turn/queue/turn-queue.js';

/** What differs between one process with nothing installed and many over Redis and PostgreSQL. */
export interface BackEnd {
  database: OpenedDatabase;
  log: EventLog;
  queue: TurnQueue;
  bus: SignalBus;
  /** Counts what principals send. */
  requests: RequestCounter;
  /** Where the files of turns are. */
  blobContents: BlobContents;
  /** The queue's own page; absent where it has none. */
  board?: {
    /** @param path it is under. */
    open(path: string): Promise<QueueBoard>;
    sessions: BoardSessions;
  };
  /** Says where this process serves, to whoever looks for it on this machine. */
  publish(url: string): Promise<void>;
  close(): Promise<void>;
}

export interface BackEndOptions {
  config: Config;
  clock: Clock;
  logger: Logger;
}
