import type { MessageDto } from '#src/turn/history/messages.dto.js';
import type { ToolStatus, Usage } from '#src/storage/shapes/stored-step.js';
import type { Source, TurnOutcome } from '#src/events/turn-event.js';
import type { CiteMark } from './cite-text.js';

/** A frame as the client received it, of any name. */
export interface AnyFrame {
  event: string;
  data: object;
}

/** A question to a person about a tool call. */
export interface ApprovalQuestion {
  approvalId: string;
  toolUseId: string;
  name: string;
  input: unknown;
  kind: 'tool' | 'unknown-outcome' | 'client-tool' | 'elicitation' | 'mcp-authorize';
  /** What the call asks. Absent: the question is about the call. */
  question?: Readonly<Record<string, unknown>>;
  reason: string;
  /** ISO-8601. */
  expiresAt: string;
  onTimeout: 'approve' | 'deny';
  /** Who decides, where a rule says so: all of these. */
  awaits?: readonly AwaitedPeople[];
}

/** People whom an approval awaits. */
export interface AwaitedPeople {
  by: readonly string[];
  count: number;
  notRequester: boolean;
  /** How many have approved, where that is loaded. */
  approved?: number;
}

export interface ApprovalAnswer {
  decision: string;
  by: string;
  message?: string;
  /** The input that replaced the model's. */
  input?: unknown;
}

export interface ThinkingItem {
  kind: 'thinking';
  key: string;
  step: number;
  text: string;
  /** Whether more deltas may be appended. */
  isOpen: boolean;
}

export interface TextItem {
  kind: 'text';
  key: string;
  step: number;
  text: string;
  /** Its citations, in order; absent: none. */
  marks?: readonly CiteMark[];
  isOpen: boolean;
}

export interface ToolItem {
  kind: 'tool';
  /** The call's id. */
  key: string;
  step: number;
  name: string;
  /** The streamed part of the input's JSON. */
  json: string;
  /** Absent until the call starts. */
  input?: unknown;
  status: 'requested' | 'asked' | 'running' | ToolStatus;
  /** The latest progress of a long call. */
  note?: string;
  elapsedMs?: number;
  output?: string;
  durationMs?: number;
  /** Files of the output. */
  files?: readonly AttachedFile[];
  asked?: ApprovalQuestion;
  answer?: ApprovalAnswer;
  /** The subagent that the call started. */
  child?: TurnView;
}

export interface NoticeItem {
  kind: 'notice';
  key: string;
  noticeKind: string;
  text: string;
  /** Facts of the notice, by kind. */
  metadata: Record<string, unknown>;
  /** The notice was sent to the model, and is worded for it. */
  seenByModel: boolean;
}

/** The sources of a step. They are added when the step ends, so that nothing on the screen moves. */
export interface SourcesItem {
  kind: 'sources';
  key: string;
  step: number;
  sources: readonly Source[];
}

/** A message that was steered into the running turn. */
export interface SteeredItem {
  kind: 'steered';
  key: string;
  text: string;
}

export interface RejectedFileItem {
  kind: 'rejected-file';
  key: string;
  name: string;
  reason: string;
}

export type Item =
  | ThinkingItem
  | TextItem
  | ToolItem
  | SourcesItem
  | NoticeItem
  | SteeredItem
  | RejectedFileItem;

export interface AttachedFile {
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Whether it is not sent to the model, because the provider refused it. */
  leftOut?: boolean;
  /** Loads the file, and sends it again. */
  id: string;
  /** The content of a file that was chosen in this page. Absent: it is loaded when it is needed. */
  content?: Blob;
}

export interface TurnFault {
  /** Machine-readable, as `RATE_LIMITED`. */
  type: string;
  message: string;
  /** The provider's reason for its refusal, or the category of its failure. */
  reason?: string;
  /** Whether the same message may succeed. */
  retryable: boolean;
  /** Milliseconds to wait before a retry. */
  retryAfterMs?: number;
  /** The provider's id of its request, for its support. */
  requestId?: string;
  /** The step whose reply should have been an object of the turn's schema, and is not. */
  badReplyStep?: number;
}

/** The object that a turn ends with. It replaces the text of its step. */
export interface TurnOutput {
  step: number;
  value: object;
  /** Whether the value is complete. If not, it is what has arrived so far. */
  isFinal: boolean;
}

export type TurnPhase =
  | 'sending'
  | 'queued'
  | 'running'
  | 'stalled'
  | 'recovering'
  | 'parked'
  | 'ended';

/** A turn as it is shown: a fold over frames (`reduceTurn`), received or made from stored messages. */
export interface TurnView {
  turnId: string;
  phase: TurnPhase;
  /** The queue position, while the turn is queued. */
  position?: number;
  agent?: string;
  model?: string;
  /** The latest model call. */
  step: number;
  /** Steps that are stored. */
  stepsDone: number;
  items: readonly Item[];
  /** How many items were made, discarded ones included. Keys of items are numbered with it. */
  itemSerial: number;
  /** The sources of the current step. */
  sources: readonly (Source & { step: number })[];
  usage?: Usage;
  /** Tokens of the latest step's request and reply, which the next call starts from. */
  contextTokens?: number;
  outcome?: TurnOutcome;
  reason?: string;
  durationMs?: number;
  fault?: TurnFault;
  /** The object that the turn ends with, as far as it has arrived. */
  output?: TurnOutput;
}

export function emptyTurn(turnId: string, phase: TurnPhase = 'sending'): TurnView {
  return { turnId, phase, step: 0, stepsDone: 0, items: [], itemSerial: 0, sources: [] };
}

/** A turn of a conversation: the user's message, and the view of the reply. */
export interface ConversationTurn {
  turnId: string;
  user: { text: string; files: readonly AttachedFile[]; createdAt: string };
  view: TurnView;
  /** Whether a summary replaces the turn in what the model is sent. */
  compacted?: boolean;
  /** The turn that supersedes it, or a turn before it. Absent: it is in the conversation. */
  supersededBy?: string;
  /** Why the turn is not sent to the model. Absent: it is sent. */
  leftOut?: NonNullable<MessageDto['leftOut']>;
}

/** A message to send. */
export interface Submission {
  sessionId: string;
  message: string;
  /** Ids of uploaded files. */
  attachments: readonly string[];
  /** They override the options of the replaced turn; `undefined` removes one. */
  opts: Record<string, unknown>;
  /** The turn that the new one supersedes, with all turns after it. */
  replaces?: string;
  /** The same for all retries, so that a submission starts one turn. */
  idempotencyKey: string;
}

/** A turn as the page shows it. */
export interface ChatTurn extends ConversationTurn {
  /** Why the message could not be sent, or the turn could not be followed. */
  fault?: unknown;
  /** The submission, until the server has accepted it. */
  submission?: Submission;
}

/** Whether frames are still to come. Pure. */
export function isRunning({ view, fault }: ChatTurn): boolean {
  return view.phase !== 'ended' && view.phase !== 'sending' && fault === undefined;
}

/** The ids of the questions that wait for an answer, those of subagents too. Pure. */
export function openQuestions({ items }: Pick<TurnView, 'items'>): string[] {
  return items.flatMap((item) => {
    if (item.kind !== 'tool') return [];
    const own = item.status === 'asked' && item.asked !== undefined ? [item.asked.approvalId] : [];
    return item.child === undefined ? own : [...own, ...openQuestions(item.child)];
  });
}
