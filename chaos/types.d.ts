import type { IncomingHttpHeaders } from 'node:http';

/** What the parts of the chaos kit hand to each other. Times are milliseconds, `at` since the epoch. */

export type FaultKind =
  | 'kill-worker'
  | 'kill-api'
  | 'drain-worker'
  | 'drain-api'
  | 'freeze-worker'
  | 'kill-redis'
  | 'flush-redis'
  | 'restart-postgres'
  | 'drop-connections'
  | 'duplicate-jobs';

export interface Fault {
  /** Since the load began. */
  atMs: number;
  kind: FaultKind;
  /** Which worker or API, from 0; 0 where there is only one. */
  target: number;
  /** Until it is mended; 0 for what is over at once. */
  lastsMs: number;
}

/** What a client does with a turn. Frame counts are of its first reader. */
export interface TurnPlan {
  index: number;
  kind: 'text' | 'tool' | 'loop' | 'mixed' | 'read' | 'failing';
  message: string;
  onDisconnect: 'cancel' | 'continue';
  /** Breaks its connection after so many frames, and goes on elsewhere. */
  cutsAfter: number[];
  /** A second reader from the start of the log, once the first has so many frames. */
  joinsAfter: number | undefined;
  interruptAfter: number | undefined;
  /** Leaves for good; only of a turn that ends with its readers. */
  abandonAfter: number | undefined;
  /** The same POST with the same Idempotency-Key, again. */
  repeatPost: 'never' | 'at-once' | 'later';
  /** Takes nothing for so long after `cutsAfter[0]` or five frames. */
  pauseMs: number;
  mayFail: boolean;
}

export interface Frame {
  id: string;
  event: string;
  data: Record<string, unknown>;
  at: number;
  /** The connection it came on, from 0. */
  connection: number;
}

/** What one reader got of a turn, over all its connections. */
export interface ReaderHistory {
  name: string;
  frames: Frame[];
  /** Longest time between a connection's end and the next one's first byte. */
  longestAwayMs: number;
  /** It left on purpose and need not have seen the end. */
  hasLeft: boolean;
}

export interface TurnHistory {
  plan: TurnPlan;
  turnId: string;
  sessionId: string;
  /** Turn ids of every answer to its POST, repeats included. */
  postedAs: string[];
  readers: ReaderHistory[];
  /** The whole log, read in one go after the end. */
  fresh: ReaderHistory | undefined;
  /** When the API said that it had asked for the turn's end. */
  interruptedAt: number | undefined;
}

/** A turn as the database has it. */
export interface TurnRows {
  turn: {
    id: string;
    status: string;
    attempt: number;
    exitCode: number | null;
    endReason: string | null;
    isLeased: boolean;
    endedAt: number | null;
  };
  /** Text of all stored steps, in order. */
  replyText: string;
  assistantMessages: number;
  calls: { callId: string; name: string; status: string; command: string | undefined }[];
}

export interface Violation {
  kind: ViolationKind;
  turnId: string;
  note: string;
}

/** What each means is in `check/violation-kinds.mjs`. */
export type ViolationKind =
  | 'bad-frame'
  | 'repeated'
  | 'out-of-order'
  | 'lost'
  | 'two-readings'
  | 'no-end'
  | 'two-ends'
  | 'after-end'
  | 'text-differs'
  | 'end-differs'
  | 'result-differs'
  | 'turn-missing'
  | 'key-ignored'
  | 'repeat-refused'
  | 'ran-twice'
  | 'ran-not'
  | 'ran-denied'
  | 'open-call'
  | 'failed-without-cause'
  | 'cancelled-without-cause'
  | 'interrupt-ignored'
  | 'busy-after-end'
  | 'bad-answer'
  | 'leaked-lease'
  | 'active-left'
  | 'leaked-key'
  | 'leaked-job'
  | 'leaked-connection'
  | 'leaked-process'
  | 'died'
  | 'stuck-start'
  | 'unclean-exit';

/** An answer to a request for a stream. */
export interface OpenStream {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body of an answer that is no stream, its beginning; else empty. */
  refusal: string;
  /** Breaks the connection. */
  cut: () => void;
  /** Takes nothing for so many milliseconds. */
  pause: (ms: number) => void;
  /** When no frame will come any more, however it ended. */
  over: Promise<void>;
}

/** What all clients of a run share. */
export interface World {
  /** Base URLs, also of those that are down. */
  apis: () => readonly string[];
  /** Folder of every project. */
  projects: string;
  /** Of every session. */
  persona: string;
  /** Open right now. */
  streams: Set<OpenStream>;
  /** Turns that run right now, as far as their clients know. */
  active: Set<string>;
  /** When every client stops, whatever it waits for. */
  giveUpAt: number;
  tally: Tally;
}

/** What clients met on the way, and nobody has to answer for by itself. */
export interface Tally {
  /** `POST turn 200` and the like → how often. */
  answers: Map<string, number>;
  /** Streams that ended before the turn did. */
  brokenConnections: number;
  /** From a broken stream to the answer of the next one. */
  reconnectMs: number[];
  /** Found by the clients themselves. */
  violations: Violation[];
}
