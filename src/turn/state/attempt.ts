import { viewOutputFiles } from '../../attachments/stored-files.js';
import { compact } from '../../platform/compact.js';
import type { EventWriter } from '../../events/event-writer.js';
import type { EventCursor } from '../../events/cursor.js';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import type { Logger } from '../../platform/logger.js';
import type { Clock } from '../../platform/clock.js';
import type { OpenSpan } from '../../telemetry/tracing.js';
import { shownStatus, type LedgerCall, type CallEnd } from '../../tools/ledger.js';
import type { approvals } from '../../storage/governance-schema.js';
import type {
  StepStopReason,
  Usage,
  StoredPart,
  AssistantPart,
  AttachmentRef,
  Todo,
} from '../../storage/shapes/stored-step.js';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import type { DayBudget, DayShortage } from '../../governance/limits/day-budget.js';
import type { TokenModel } from '../../provider/estimate-tokens.js';
import type { StoredNotice } from '../../governance/notices/trigger.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import type { SentPrefix, RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { Reservation } from '../../governance/budgets/usage-days.js';
import type { SessionRow } from '../../session/session-store.js';
import type { AttemptServices } from './attempt-services.js';
import type { Lease } from './lease.js';
import type { PastTurn } from './past-turn.js';
import type { SteeredMessage } from './stored-turn.js';
import type { CostLimit, Price } from '../../storage/shapes/stored-options.js';
import type { DecisionTree } from '../../governance/decision-tree/decision-trees.js';
import type { TurnRow } from './turn-row.js';

/** Waits for what needs no slot of the worker: other turns have it meanwhile. */
export type ReleaseSlotWhile = <T>(wait: () => Promise<T>) => Promise<T>;

/** An attempt at a turn: the facts that it was opened with, and its progress. */
export interface Attempt {
  turn: TurnRow;
  session: ClaimedSession;
  /** The worker that the attempt runs on; null: it has no name. */
  worker: string | null;
  /** The archived events of earlier attempts. */
  archived: readonly TurnEvent[];
  services: AttemptServices;
  clock: Clock;
  /** Logger with the ids of the turn on every line. */
  logger: Logger;
  lease: Lease;
  releaseSlotWhile: ReleaseSlotWhile;
  /** The attempt's span; absent: it only ends the turn. */
  span?: OpenSpan;
  writer: EventWriter;
  /** Whether a call that was stopped has changed nothing, whatever the tool of this server had done by then. */
  isHarmless(name: string): boolean;
  /** Approvals of the turn's calls. */
  approvals: (typeof approvals.$inferSelect)[];
  /** Rules that people approved for the rest of the session, when the attempt began. */
  grants: readonly string[];
  /** The start of the turn's own time, without the time for which it was parked. */
  startedAt: Date;
  /** The start of the attempt. */
  beganAt: Date;
  /** Subagents that the turn has started. */
  children: ChildTurn[];
  /**
   * The earlier turns of the conversation, oldest first; none if too many attempts failed and this one only ends the
   * turn.
   */
  earlier: readonly PastTurn[];
  /** The user's message, files by reference. */
  storedParts: readonly StoredPart[];
  /** Decides when the loop ends. */
  tree: DecisionTree;
  progress: Progress;
}

/** A subagent's turn, as its parent's attempt knows it. */
export interface ChildTurn {
  id: string;
  callId: string;
  agent: string;
  /** Tokens that are reserved of its parent's budget until it has ended. */
  tokenBudget: number;
  costLimit: CostLimit | undefined;
  /** The child's usage; undefined until its end is counted. */
  usage: Usage | undefined;
  /** When the child was parked; null: it is not. */
  waitingSince: Date | null;
  /** The last event that was relayed to the parent's stream. */
  relayedTo: EventCursor;
  /** `subagent.ended` was emitted. */
  isOver: boolean;
}

/** A call of the last finished step, for the ledger. */
export function ledgerCall({ turn, progress }: Attempt, call: ToolUse): LedgerCall {
  return {
    turnId: turn.id,
    callId: call.id,
    step: progress.steps.length,
    attempt: turn.attempt,
    name: call.name,
    input: call.input,
  };
}

export function stepEnded(
  step: Pick<FinishedStep, 'step' | 'stopReason' | 'usage'>,
): TurnEventBody {
  const { step: number, stopReason, usage } = step;
  return { type: 'step.ended', step: number, stopReason, usage };
}

export function toolEnded(turnId: string, call: ToolUse, end: CallEnd): TurnEventBody {
  const { id: callId, name } = call;
  const { output, durationMs } = end;
  const status = shownStatus(end.status);
  const files = compact({ files: viewOutputFiles(turnId, end.files) });
  return { type: 'tool.ended', callId, name, status, output, durationMs, ...files };
}

/** Progress of an attempt. A member changes only after the database has the fact. */
export interface Progress {
  steps: FinishedStep[];
  results: Map<string, CallResult>;
  draft: StepDraft | undefined;
  /** State for the decision tree, after everything above. */
  state: AgentState;
  /** Outputs up to this step are elided: the provider refused the prompt as too long. */
  elidedThrough: number;
  /** Whether the attempt marked earlier turns as elided: they then differ from those that it loaded. */
  hasElidedEarlier: boolean;
  /** Usage of no step: for summaries of the conversation before, and for what was discarded. */
  overhead: Usage;
  /** Usage within `overhead` for replies that were discarded for another call. */
  discarded: Usage;
  /** Usage of the model calls that MCP servers asked for, by tool call; of one under way, all that is reserved for it. */
  sampled: Map<string, Usage[]>;
  /** The limit of the day that left a call too little headroom, or none. */
  shortage?: DayShortage | undefined;
  /** When calls of the provider's own tools began, by their ids, in ms since the epoch. */
  serverStarts: Map<string, number>;
  /** Notices of the turn, in order. */
  notices: StoredNotice[];
  /** Delivered messages, in order. */
  steered: SteeredMessage[];
}

export interface FinishedStep {
  step: number;
  parts: AssistantPart[];
  stopReason: StepStopReason;
  usage: Usage;
  /** The prefix that the step's thinking is bound to; null where there is none. */
  sent: SentPrefix | null;
  endedAt: Date;
  /** See `StepDraft`. Of a step that an earlier attempt stored it is not known. */
  clampedBy?: Budget | undefined;
}

/** A step while its reply streams, for a turn that is cut meanwhile. */
export interface StepDraft {
  step: number;
  startedAt: Date;
  /** The first event of the reply. Absent: nothing has come so far. */
  firstTokenAt?: Date;
  /** Blocks that are whole. */
  parts: AssistantPart[];
  /** Text of the block that is still open, in the pieces that came. */
  openText: string[];
  /** Thinking of the block that is still open; `openInput`: the input of its tool call. */
  openThinking: string[];
  openInput: string[];
  /** Usage as far as the provider has reported it. */
  usage: Usage;
  sent: SentPrefix | null;
  /** Tokens that the call adds to the conversation before its reply. */
  added: number;
  /** Token counts of the model, and its price where that is known. */
  model: TokenModel;
  price: Price | undefined;
  /** The budget that gave the reply fewer tokens than it might have had; absent: none did. */
  clampedBy?: Budget | undefined;
  /** The call's reservation from its principal's day; absent: the day has no limit, or it is settled. */
  reserved?: Reservation | undefined;
}

export interface CallResult {
  status: ToolCallStatus;
  output: string | null;
  /** Files of the output. Absent or null: none. */
  files?: readonly AttachmentRef[] | null;
  /** What a claimed call came to, stored with its effect. Absent or null: not known. */
  outcome?: 'success' | 'error' | null;
}

/** The limit that a reply's token allowance is taken from. */
export type Budget = 'token_budget' | 'cost_budget' | DayBudget;

export type ToolUse = Extract<AssistantPart, { type: 'tool_use' }>;

/** The calls of the last finished step that have no final result yet, in the order asked. */
export function openCalls({ steps, results }: Progress): ToolUse[] {
  const parts = steps.at(-1)?.parts ?? [];
  return parts.filter((part): part is ToolUse => {
    if (part.type !== 'tool_use') return false;
    const status = results.get(part.id)?.status;
    return status === undefined || status === 'claimed';
  });
}

/** The end of a claimed call that an earlier attempt did not come to store; undefined: not known. */
export function knownEnd({ results }: Progress, { id }: ToolUse): CallEnd | undefined {
  const { outcome, output } = results.get(id) ?? {};
  return outcome === undefined || outcome === null
    ? undefined
    : { status: outcome, output: output ?? '', durationMs: 0 };
}

/** Whether this attempt, or an earlier one, began to run the call. */
export function isClaimed({ results }: Progress, call: ToolUse): boolean {
  return results.get(call.id)?.status === 'claimed';
}

/** The reply so far: the text deltas of all steps that count, one after the other. */
export function replyText({ steps, draft }: Progress): string {
  const stored = textOf(steps);
  return draft === undefined ? stored : stored + joinText(draft.parts) + draft.openText.join('');
}

/** The text of stored steps, one after the other. */
export function textOf(steps: readonly Pick<FinishedStep, 'parts'>[]): string {
  return steps.map((step) => joinText(step.parts)).join('');
}

function joinText(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The turn's session, with what that session's requests begin with. */
interface ClaimedSession extends SessionRow {
  prefix: RequestPrefix | null;
}

/** A turn as it was claimed; its `attempt` is the claimer's fence. */
export interface Claim extends TurnRow {
  /** The worker that claimed it; null: it has no name. */
  worker: string | null;
  session: ClaimedSession;
  /** The user's message, files by reference. */
  userParts: StoredPart[];
  /** The turn has archived events. */
  wasAnnounced: boolean;
  /** The session has other turns: they came before. */
  hasHistory: boolean;
  todos: Todo[] | null;
  /** Rules that people approved for the rest of the session. */
  grants: string[];
  /** The session's last compaction. */
  compaction: Compaction | null;
}

/** A summary that stands for the turns up to `throughTurnId`. */
export interface Compaction {
  id: string;
  throughTurnId: string;
  summary: string;
}
