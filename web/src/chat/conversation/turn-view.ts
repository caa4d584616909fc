import type { Source, ToolStatus, TurnOutcome, Usage } from '../../../../src/events/turn-event.js';

/** A question to a person about a tool call. */
export interface AskedApproval {
  approvalId: string;
  toolUseId: string;
  name: string;
  input: unknown;
  kind: 'tool' | 'unknown-outcome' | 'client-tool';
  reason: string;
  /** ISO-8601. */
  expiresAt: string;
  onTimeout: 'approve' | 'deny';
}

export interface GivenAnswer {
  decision: string;
  by: string;
  message?: string;
  /** What the call ran with in place of what was asked for. */
  input?: unknown;
}

export interface ThinkingItem {
  kind: 'thinking';
  key: string;
  step: number;
  text: string;
  /** More may come. */
  isOpen: boolean;
}

export interface TextItem {
  kind: 'text';
  key: string;
  step: number;
  text: string;
  isOpen: boolean;
}

export interface ToolItem {
  kind: 'tool';
  /** The call's id. */
  key: string;
  step: number;
  name: string;
  /** The input's JSON as far as it has come. */
  json: string;
  /** Absent until the call starts. */
  input?: unknown;
  status: 'requested' | 'asked' | 'running' | ToolStatus;
  /** What a long call is doing. */
  note?: string;
  elapsedMs?: number;
  output?: string;
  durationMs?: number;
  asked?: AskedApproval;
  answer?: GivenAnswer;
  /** The subagent that does it. */
  child?: TurnView;
}

export interface NoticeItem {
  kind: 'notice';
  key: string;
  noticeKind: string;
  text: string;
  metadata?: Record<string, unknown>;
}

/** What a step's reply rests on, once the step is over: nothing is put before what is there. */
export interface SourcesItem {
  kind: 'sources';
  key: string;
  step: number;
  sources: readonly Source[];
}

/** What the user said while the turn ran. */
export interface JoinedItem {
  kind: 'joined';
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
  | JoinedItem
  | RejectedFileItem;

export interface AttachedFile {
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Of a picture that was chosen in this page. */
  previewUrl?: string;
}

export interface TurnFault {
  /** Machine-readable, as `RATE_LIMITED`. */
  type: string;
  message: string;
  /** What the provider had against the request, or the category of its failure, where that is said. */
  reason?: string;
  /** Whether the same message may succeed. */
  retryable: boolean;
  /** Milliseconds to wait before that. */
  retryAfterMs?: number;
  /** The provider's id of the request, for its support. */
  requestId?: string;
}

export type TurnPhase = 'sending' | 'queued' | 'running' | 'recovering' | 'parked' | 'ended';

/** Everything a reader sees of one turn; made by `reduceTurn` from frames, or from stored messages. */
export interface TurnView {
  turnId: string;
  phase: TurnPhase;
  /** Of the queue, while it waits there. */
  position?: number;
  agent?: string;
  model?: string;
  /** The latest model call. */
  step: number;
  /** Steps that are stored. */
  stepsDone: number;
  items: readonly Item[];
  /** Texts and asides so far, with those that were taken back: their keys are of it. */
  made: number;
  /** Of the step that is not over. */
  sources: readonly (Source & { step: number })[];
  usage?: Usage;
  /** Tokens of the latest step's call and reply: what the next call starts from. */
  contextTokens?: number;
  outcome?: TurnOutcome;
  reason?: string;
  durationMs?: number;
  fault?: TurnFault;
}

export function emptyTurn(turnId: string, phase: TurnPhase = 'sending'): TurnView {
  return { turnId, phase, step: 0, stepsDone: 0, items: [], made: 0, sources: [] };
}
