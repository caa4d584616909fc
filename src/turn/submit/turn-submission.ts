import type { JsonObject } from '../../platform/json.js';
import type { Principal } from '../../access/principal.js';
import type { ReceivedFile } from '../../attachments/blob-store.js';
import type {
  DayLimits,
  InheritedPermissions,
  SubagentDecision,
  OnDisconnect,
  OptionProblem,
  OptionResolution,
} from '../../storage/shapes/stored-options.js';
import type {
  StoredTrace,
  ReplayParams,
  StoredRequest,
  StoredResponsesRequest,
} from '../../storage/shapes/stored-turn.js';
import type { SessionRow } from '../../session/session-store.js';
import type { Queryable } from '../../storage/connection.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { SessionOrigin } from '../../storage/shapes/stored-turn.js';
import type { Waking } from '../queue/queue-notifier.js';

/** Rows that stand or fall with a turn's: they are stored in its transaction. */
export interface ExtraWrites {
  /** The turn's session, where `store` stores that as well. */
  session?: SessionRow;
  /** Runs before the turn is stored; may run again where the turn is to be held. @throws to store nothing. */
  store?(tx: Queryable, turnId: string): Promise<void>;
  /**
   * Runs once the turn is stored, in its transaction: what another turn could change between a look and the storing is
   * looked at here. @throws to store nothing.
   */
  verify?(tx: Queryable): Promise<void>;
}

/** A file whose bytes came, or the id of one that the server has. */
export type ClientFile = ReceivedFile | { id: string };

/**
 * A turn from the history that a client sent: the server did not run it, or has it no longer.
 * It is stored like a turn that ran, before the turn that it came with, so that the model gets it as
 * messages with their roles, and compaction, forks and exports know it.
 */
export interface ClientTurn<File = ClientFile> {
  /** Texts and files of the user, in order. Empty: the conversation began with a reply. */
  content: readonly (string | File)[];
  /** The client's own id of the user's message. Absent: it has none. */
  clientId?: string;
  /** Model calls, each followed by the outputs of its tools. */
  replies: readonly ClientReply[];
}

export interface ClientReply {
  texts: readonly string[];
  calls: readonly ClientCall[];
}

export interface ClientCall {
  callId: string;
  name: string;
  input: JsonObject;
  /** Undefined: the client has none, as of a run that was cut off. */
  output: string | undefined;
  isError?: boolean;
}

/** A client's turn whose files are stored. */
export interface CheckedClientTurn {
  parts: StoredPart[];
  clientId?: string;
  replies: readonly ClientReply[];
}

/**
 * What a wire does with a message whose session is busy, where `opts.onBusy` says nothing.
 *
 * - `after-stopped`: a turn that was stopped ends first, then the message runs; behind any other turn it is refused.
 * - `after`: a turn that was stopped ends first; behind any other turn the message is held.
 * - `beside`: as `after`, but a turn with an open question has the message beside the answer.
 */
export type WhenBusy = 'after-stopped' | 'after' | 'beside';

export interface TurnSubmission {
  sessionId: string;
  /** The sender, with what it may use; absent: a sender who may use all. */
  principal?: Principal;
  /** The message as the client sent it; blank is fine beside an attachment. */
  message: string;
  opts: unknown;
  /** The client's own id of the message, which goes back to it in the conversation's history. */
  clientMessageId?: string | undefined;
  /** What the request had of its own on the wire of the Responses API. */
  responses?: StoredResponsesRequest | undefined;
  /** Absolute paths, and ids of uploads and of files in stored messages. */
  attachments: string[];
  /** The request names no files: those of the turn that it replaces stay. */
  keepsFiles?: boolean;
  /**
   * Turns that the client sent as history, oldest first: they are stored before the turn. Where they end with outputs of
   * tools, the message may be blank. Absent: none.
   */
  clientTurns?: readonly ClientTurn[] | undefined;
  /**
   * Whether `clientTurns` begin the conversation: they are left out if it has a turn already, and a repeated request
   * need not have them. Absent: they come after its turns.
   */
  clientTurnsOnlyIfEmpty?: boolean;
  /**
   * What the application says to the model beside the user: it is in the system prompt of this turn alone, and in no
   * message. Absent: nothing.
   */
  instructions?: string | undefined;
  /**
   * Digest of the conversation up to this message, by which the next request finds it, where the client sends the
   * whole of it each time. Absent: it does not.
   */
  clientHistory?: string | undefined;
  /** The message with the files that came with the request, in the order in which it was said. Absent: files come last. */
  content?: ClientTurn['content'] | undefined;
  /** Files that came with the request itself. */
  files?: readonly ReceivedFile[];
  /** A refused file refuses the turn: the wire cannot report it while the turn goes on. */
  needsAllFiles?: boolean;
  idempotencyKey: string | undefined;
  /** The key that it is stored under where the request named none: see `RepeatedRequests`. It is looked for by nobody. */
  tryKey?: string | undefined;
  /** The turn came on the oracle's wire: unset preferences and limits have the oracle's defaults. */
  isOracle?: boolean;
  /** The process at which the sender reads the turn. */
  readerProcess?: string;
  /** Whether anybody reads a turn at that process. */
  isReadHere?(turnId: string): boolean;
  /** What becomes of the message in a busy session where `opts.onBusy` says nothing. Absent: it is refused. */
  whenBusy?: WhenBusy;
  /** Options of the request that had no effect; a notice names them to the client. */
  problems?: readonly OptionProblem[];
  /** The persona was named as an agent: its model and permission mode count where `opts` has none. */
  asAgent?: boolean;
  /**
   * Permission mode where neither `opts` nor the agent's file names one: `direct` where the wire can show an
   * approval, `dontAsk` where it cannot. Absent: the session's.
   */
  wireMode?: 'direct' | 'dontAsk';
  /** What becomes of the turn without readers where `opts` says nothing. Absent: `cancel`. */
  wireOnDisconnect?: OnDisconnect;
  /** Nobody waits for the turn: its calls cannot ask. Absent: somebody may. */
  unattended?: true;
  /** What is stored together with the turn. Absent: nothing. */
  extraWrites?: ExtraWrites;
  /** The turn is a replay: its message is the recorded turn's, files by reference. */
  replay?: Omit<ReplayParams, 'offer'> & { parts: readonly StoredPart[] };
}

/** The turn that is stored for a request, or for a subagent. */
export interface NewTurn {
  sessionId: string;
  /** The principal whose turn it is. */
  principalId: string;
  /** The API key that sent it, or made the page token that did; absent: none. */
  keyId?: string | undefined;
  /** Folders that the sender's role opens; absent: none. */
  projectRoots?: string[] | undefined;
  /** Limits of the principal's day; absent: none. */
  budget?: DayLimits | undefined;
  request: StoredRequest;
  /** Hash of the normalised body: a second use of an idempotency key must have the same. */
  requestHash: string;
  idempotencyKey: string | undefined;
  options: OptionResolution;
  delegation: SubagentDecision;
  parts: StoredPart[];
  /** Turns that are stored before it. Absent: none. */
  clientTurns?: readonly CheckedClientTurn[] | undefined;
  /** See `TurnSubmission`. */
  clientTurnsOnlyIfEmpty?: boolean;
  /** See `TurnSubmission`. */
  clientHistory?: string | undefined;
  now: Date;
  /** The process that serves the turn's reader; absent: the turn needs none. */
  readerProcess?: string | undefined;
  /** The span that accepts the turn; absent: none. */
  trace?: StoredTrace | undefined;
  /** The turn whose place it takes; absent: it follows the last one. */
  replaces?: string | undefined;
  /** The worker that may remember the conversation; absent: any is as good. */
  preferredWorker?: string | undefined;
  /** Links a subagent's turn to the call that asked for it. */
  child?: { parentTurnId: string; parentCallId: string; childTerms: InheritedPermissions };
}

export interface SubmittedTurn {
  turnId: string;
  onDisconnect: OnDisconnect;
  disposition: Disposition;
  /** The wire that made the session; absent where the request made no turn. */
  origin?: SessionOrigin;
  /** The turn's way to a worker; absent: another request is on it, or the turn is held. */
  waking?: Waking;
}

/** The outcome of a request for a turn, sent in `X-Turn-Disposition`. */
export type Disposition =
  | { type: 'started' }
  /** A repeat of an earlier request, whose turn this is. */
  | { type: 'repeated' }
  /** Held behind others of its session; the next one has position 1. */
  | { type: 'enqueued'; position: number }
  /** The turn goes next: the turn before it is being interrupted, or has just ended. */
  | { type: 'interrupting'; turnId: string | undefined }
  /** The message was steered into this turn, which is running. */
  | { type: 'steered'; messageId: string };

/** Disposition as a header's value: `enqueued; position=2`. */
export function describeDisposition(disposition: Disposition): string {
  switch (disposition.type) {
    case 'started':
    case 'repeated':
      return disposition.type;
    case 'enqueued':
      return `enqueued; position=${disposition.position}`;
    case 'interrupting':
      return disposition.turnId === undefined
        ? 'interrupting'
        : `interrupting; turn=${disposition.turnId}`;
    case 'steered':
      return `steered; message=${disposition.messageId}`;
  }
}
