import type { IncomingHttpHeaders } from 'node:http';

/** The types of the chaos kit. Times are milliseconds, `at` since the epoch. */

export type FaultKind =
  | 'kill-worker'
  | 'kill-api'
  | 'drain-worker'
  | 'drain-api'
  | 'freeze-worker'
  | 'kill-redis'
  | 'flush-redis'
  | 'fill-redis'
  | 'restart-postgres'
  | 'lock-postgres'
  | 'fill-postgres'
  | 'drop-connections'
  | 'duplicate-jobs';

export interface Fault {
  /** Milliseconds since the load began. */
  atMs: number;
  kind: FaultKind;
  /** The index of the worker or API, from 0; 0 for a service. */
  target: number;
  /** Milliseconds until it is mended; 0 for a fault of a moment. */
  lastsMs: number;
}

/** The plan of a client for a turn. Frame counts are those of its first reader. */
export interface TurnPlan {
  index: number;
  kind: 'text' | 'tool' | 'loop' | 'mixed' | 'read' | 'failing' | 'object' | 'memory';
  message: string;
  /** Options of the turn, beside those that every turn has. Absent: none. */
  opts?: Record<string, unknown>;
  /** Of a turn that is to end with an object. */
  object?: PlannedObject;
  onDisconnect: 'cancel' | 'continue';
  /** Frame counts after which the reader cuts its connection and goes on at the next API. */
  cutsAfter: number[];
  /** The frame count at which a second reader starts, from the start of the log. */
  joinsAfter: number | undefined;
  interruptAfter: number | undefined;
  /** The frame count at which the reader leaves for good, in a turn that ends with its readers. */
  abandonAfter: number | undefined;
  /** When the POST is repeated with the same Idempotency-Key. */
  repeatPost: 'never' | 'at-once' | 'later';
  /** Milliseconds for which the reader receives nothing, after `cutsAfter[0]` or five frames. */
  pauseMs: number;
  mayFail: boolean;
}

export interface PlannedObject {
  /** Undefined: no reply of the model is one, and the turn fails. */
  expected: Record<string, unknown> | undefined;
}

/** What becomes of a session's line after its turns. Places count from its first turn; the plan's are any. */
export interface BranchPlan {
  kind: 'none' | 'fork' | 'replace';
  /** The turn to fork at or to replace: this number, modulo the length of the line. */
  place: number;
  position: 'before' | 'after';
  /** Whether a second client sends the same: the fork with its key, the replacement as a turn of its own. */
  isContested: boolean;
}

/** A turn as its clients know it. */
export interface LineTurn {
  name: string;
  turnId: string;
}

/** A session as its clients know it. */
export interface ChaosSession {
  sessionId: string;
  /** The turns of its active line, oldest first; those of a fork's history have their originals' ids. */
  line: LineTurn[];
  /** Whether a client never learned what became of a request. */
  isUnsure: boolean;
  /** The principal whose it is. Absent: all clients are the same. */
  owner?: string;
}

export interface Frame {
  id: string;
  event: string;
  data: Record<string, unknown>;
  at: number;
  /** The index of its connection, from 0. */
  connection: number;
}

/** The frames of a reader, over all its connections. */
export interface ReaderHistory {
  name: string;
  frames: Frame[];
  /** The longest time between a connection's end and the next connection's first byte. */
  maxAwayMs: number;
  /** Whether the reader left on purpose and need not have the end. */
  hasLeft: boolean;
}

export interface TurnHistory {
  plan: TurnPlan;
  turnId: string;
  sessionId: string;
  /** The turn ids of all answers to the POST, with repeats. */
  postedAs: string[];
  readers: ReaderHistory[];
  /** The whole log, over one connection after the end. */
  fresh: ReaderHistory | undefined;
  /** The time at which the API acknowledged the interrupt. */
  interruptedAt: number | undefined;
}

/** A turn's rows in the database. */
export interface TurnRows {
  turn: {
    id: string;
    status: string;
    attempt: number;
    exitCode: number | null;
    endReason: string | null;
    isLeased: boolean;
    endedAt: number | null;
    output: unknown;
    /** The code of its failure. */
    failure: string | null;
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

/** `check/violation-kinds.mjs` has their meanings. */
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
  | 'unclean-exit'
  | 'limit-overrun'
  | 'message-lost'
  | 'outlived-parent'
  | 'overlap'
  | 'taken-over'
  | 'end-untold'
  | 'delivery-lost'
  | 'delivery-forged'
  | 'object-differs'
  | 'object-missing'
  | 'line-differs'
  | 'fork-differs'
  | 'superseded-shown'
  | 'view-differs'
  | 'run-twice'
  | 'run-late'
  | 'run-lost'
  | 'memory-twice'
  | 'memory-lost'
  | 'ran-unasked'
  | 'ran-unapproved'
  | 'decision-differs'
  | 'answer-lost'
  | 'answer-forged'
  | 'hook-forged'
  | 'foreign-read'
  | 'locked-out'
  | 'access-ended'
  | 'access-outlived';

/** Rows of the outbox of webhooks, and the turns that have ended. */
export interface Outbox {
  ended: { turnId: string; outcome: string }[];
  deliveries: {
    id: string;
    type: string;
    turnId: string;
    status: string;
    /** Of an end. */
    outcome: string | undefined;
  }[];
}

/** What came to the receiver under one `webhook-id`. */
export interface ReceivedDelivery {
  type: string;
  turnId: string;
  outcome: string | undefined;
  /** Whether all requests of it were signed with the webhook's secret. */
  isSigned: boolean;
  /** Requests that were answered with success. */
  taken: number;
}

/** A turn of the database, as part of its session's line. */
export interface LineRow {
  turnId: string;
  sessionId: string;
  /** The name at the head of its message; undefined: it has none, as turns of schedules. */
  name: string | undefined;
  copiedFrom: string | null;
  replaces: string | null;
  supersededBy: string | null;
  /** Whether later requests may lack it. */
  isLeftOut: boolean;
  /** A digest of its message, steps and calls. */
  content: string;
}

/** Names of turns whose messages were in a request to the model, in order. */
export type View = readonly string[];

/** A schedule with what is stored of its fire times. Times are milliseconds since the epoch. */
export interface ScheduleRows {
  key: string;
  everyMs: number;
  catchUpMs: number;
  /** Its first fire time, and the first without an outcome. */
  firstAt: number;
  nextAt: number;
  /** When that was read, if the run gave fire times the time to be run. */
  settledAt: number | undefined;
  /** Longest time from a fire time to its run, in ms. Absent: processes die, and nothing is said. */
  maxLateMs?: number | undefined;
  runs: {
    cause: 'slot' | 'trigger';
    triggerKey: string | null;
    fireAt: number;
    outcome: 'submitted' | 'skipped' | 'refused' | 'missed';
    /** The fire time after the last that was missed. */
    missedUntil: number | null;
    turnId: string | null;
    hasTurn: boolean;
    createdAt: number;
  }[];
  /** Turns that were submitted for it. */
  turnIds: string[];
  /** Whether a fire time may be skipped: its turns do not overlap. */
  maySkip: boolean;
  /** Keys of triggers that the API acknowledged, with their turns. */
  triggers: { triggerKey: string; turnId: string }[];
}

/** A call of the memory tool in the ledger, in the order of the calls. */
export interface MemoryCallRow {
  turnId: string;
  callId: string;
  input: Record<string, string | number>;
  status: string;
}

/** What the tool hook was asked about a call, and answered. */
export interface HookRecord {
  turnId: string;
  callId: string;
  answers: ('allow' | 'deny' | 'broken')[];
  /** Whether all questions were signed. */
  isSigned: boolean;
}

/** An answer to a request for a stream. */
export interface OpenStream {
  status: number;
  headers: IncomingHttpHeaders;
  /** The beginning of a refusal's body; empty for a stream. */
  refusal: string;
  /** Cuts the connection. */
  cut: () => void;
  /** Receives nothing for a number of milliseconds. */
  pause: (ms: number) => void;
  /** Resolves when no frame will come any more, whatever the reason. */
  over: Promise<void>;
}

/** One whom clients send requests as, with a token of the moment. */
export interface Person {
  principal: string;
  /** Whether the person leaves, or has left: refusals are expected, and there is no new token. */
  leaves: boolean;
  /** When its access was ended last. */
  endedAt: number | undefined;
  /** How many tokens it has had. */
  tokens: number;
  /** The header `Authorization` of a request, and when its token ends. */
  credential: () => Promise<{ authorization: string; expiresAt: number }>;
  /** Has the next request sent with a new token. */
  renew: () => void;
}

/** The state that all clients of a run share. */
export interface World {
  /** Whom requests are of. Absent: they have no credential. */
  person?: Person;
  /** Base URLs of all APIs, even those that are down. */
  apis: () => readonly string[];
  /** The folder of all projects. */
  projects: string;
  /** The persona of every session. */
  persona: string;
  /** The open streams. */
  streams: Set<OpenStream>;
  /** The turns that run now, as far as their clients know. */
  active: Set<string>;
  /** All sessions of the run. */
  sessions: ChaosSession[];
  /** What requests of a turn have of earlier turns, by its name. */
  lines: Map<string, View>;
  /** The time at which every client stops. */
  giveUpAt: number;
  tally: Tally;
}

/** Counts of what clients met, which is no violation by itself. */
export interface Tally {
  /** Counts by route and status, such as `POST turn 200`. */
  answers: Map<string, number>;
  /** Counts of what had to do with tokens. */
  access: Map<string, number>;
  /** The number of streams that ended before their turn. */
  brokenConnections: number;
  /** Times that a reader heard of a worker which does not answer. */
  stalls: number;
  /** Milliseconds from a broken stream to the answer of the next one. */
  reconnectMs: number[];
  /** Violations that clients found themselves. */
  violations: Violation[];
}
