import type { StoredPart, AssistantPart } from '../../storage/shapes/stored-part.js';
import type { EventWriter } from '../../events/event-writer.js';
import type { StepStopReason, Usage } from '../../storage/shapes/stored-step.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import type { Price } from '../../storage/shapes/stored-limits.js';
import type { DayBudget } from '../../governance/limits/day-budget.js';
import type { DayShortage } from '../../governance/limits/day-limit-reached.js';
import type { DecisionTree } from '../../governance/decision-tree/decision-tree.js';
import type { PermissionQuestion } from '../../governance/permissions/decide-permission.js';
import type { Logger } from '../../platform/logger.js';
import type { Clock } from '../../platform/clock.js';
import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { RefusalKind } from '../../provider/refusal-kind.js';
import type { TokenModel } from '../../provider/estimate-parts.js';
import type { ToolSpec } from '../../storage/shapes/stored-tools.js';
import type { UserPart } from '../../provider/model-types.js';
import type { StoredNotice } from '../../notices/notice.js';
import type { Trigger } from '../../notices/trigger.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { Queryable } from '../../storage/connection.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import type { RequestPrefix, SentPrefix } from '../../storage/shapes/sent-request.js';
import type { LedgerCall } from '../../tools/ledger.js';
import type { TurnTools } from '../../tools/open-tools.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import type { ApprovalRow } from '../approvals/approval-writes.js';
import type { Reservation } from '../budgets/usage-days.js';
import type { SteeredMessage } from '../loop/steered-messages.js';
import type { Deadline } from './deadline.js';
import type { ChildTurn } from './child-turn.js';
import type { TurnTranscript } from '../prompt/build-messages.js';
import type { RequestFrame } from '../prompt/request-frame.js';
import type { Lease } from './lease.js';
import type { ClaimedSession } from '../queue/turn-claims.js';
import type { TurnRow } from './turn-lookup.js';
import type { TurnWatch } from '../attempt/turn-watch.js';

export interface FinishedStep {
  step: number;
  parts: AssistantPart[];
  stopReason: StepStopReason;
  usage: Usage;
  /** The prefix that the step's thinking is bound to; null where there is none. */
  sent: SentPrefix | null;
  endedAt: Date;
}

/** A step while its reply streams, for a turn that is cut meanwhile. */
export interface StepDraft {
  step: number;
  startedAt: Date;
  /** Blocks that are whole. */
  parts: AssistantPart[];
  /** Text of the block that is still open. */
  openText: string;
  /** Thinking of the block that is still open; `openInput`: the input of its tool call. */
  openThinking: string;
  openInput: string;
  /** Usage as far as the provider has reported it. */
  usage: Usage;
  sent: SentPrefix | null;
  /** Tokens that the call adds to the conversation before its reply. */
  added: number;
  /** How the model counts, and what it costs where that is known. */
  model: TokenModel;
  price: Price | undefined;
}

export interface CallResult {
  status: ToolCallStatus;
  output: string | null;
}

export interface ApprovalRules {
  /** How long an approval may go without an answer, in ms. */
  timeoutMs: number;
  /** The decision without an answer in that time. */
  onTimeout: 'approve' | 'deny';
  /** How a call goes on that may have had its effect, and whose process died. */
  unknownCalls: 'tell' | 'ask';
}

export interface RunLimits {
  maxTokens: number;
  toolTimeoutMs: number;
  toolOutputLimit: number;
  /** How often a step is tried again whose stream ends with an overload. */
  overloadRetries: number;
}

/**
 * One attempt at one turn: what it was given, and how far it is. Only `progress` changes, and only
 * after the database has the fact.
 */
export interface Attempt {
  turn: TurnRow;
  attempt: number;
  session: ClaimedSession;
  /** The archived events of earlier attempts. */
  archived: readonly TurnEvent[];
  /** The id of the assistant's message, the same in every attempt. */
  messageId: string;
  clock: Clock;
  /** Logger with the ids of the turn on every line. */
  logger: Logger;
  lease: Lease;
  writer: EventWriter;
  /** Effect of a tool of this server; undefined for a name it does not have. */
  effectOf(name: string): ToolEffect | undefined;
  /** Approvals of the turn's calls. */
  approvals: ApprovalRow[];
  /** The start of the turn's own time, without the time for which it was parked. */
  startedAt: Date;
  /** Subagents that the turn has started. */
  children: ChildTurn[];
  /** The user's message, files by reference. */
  storedParts: readonly StoredPart[];
  /** Decides when the loop ends. */
  tree: DecisionTree;
  progress: {
    steps: FinishedStep[];
    results: Map<string, CallResult>;
    draft: StepDraft | undefined;
    /** State for the decision tree, after everything above. */
    state: AgentState;
    /** Outputs up to this step are elided: the provider refused the prompt as too long. */
    elidedThrough: number;
    /** Whether the conversation that is sent could be shorter. */
    canShorten: boolean;
    /** Usage of no step: for summaries of the conversation before, and for what was discarded. */
    overhead: Usage;
    /** Usage within `overhead` for replies that were discarded for another call. */
    discarded: Usage;
    /** The step whose reply got fewer tokens than it might have had, for the budget's sake. */
    clampedStep: number | undefined;
    clampedBy: Budget | undefined;
    /** Reservation of the call under way, from its principal's day. */
    reserved?: Reservation | undefined;
    /** The limit of the day that left a call too little headroom, or none. */
    shortage?: DayShortage | undefined;
    /** When calls of the provider's own tools began, by their ids, in ms since the epoch. */
    serverStarts: Map<string, number>;
    /** Notices of the turn, in order. */
    notices: StoredNotice[];
    /** Delivered messages, in order. */
    steered: SteeredMessage[];
  };
}

/** An attempt with everything the loop needs. */
export interface TurnRun extends Attempt {
  provider: Pick<AnthropicProvider, 'stream' | 'countTokens'>;
  /** The parts of every request beside its messages. */
  frame: RequestFrame;
  /** The prefix of the session's requests. */
  prefix: RequestPrefix;
  /** The session has the prefix; else it is stored with the next step. */
  isPrefixStored: boolean;
  /** Refusals of the provider that were remedied once. */
  recovered: Set<RefusalKind>;
  /**
   * Makes the run's requests shorter, where they can be.
   *
   * @returns false where they cannot.
   */
  shorten(): Promise<boolean>;
  /** Names of the files that the conversation has had. */
  files: readonly string[];
  limits: RunLimits & {
    /** Tokens from which the model's window counts as full. */
    fullContext: number;
  };
  /** Price of the model's tokens; undefined where it is not known. */
  price: Price | undefined;
  /** The parts of a run that depend on the model that it calls. */
  describeModel(options: ResolvedOptions): Pick<TurnRun, 'frame' | 'price' | 'limits'>;
  earlierTurns: readonly TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The user's message, files by their bytes. */
  userParts: UserPart[];
  tools: TurnTools;
  /** Tools that the model may call; the prefix may list others. */
  toolSpecs: ToolSpec[];
  /** Names of the tools that the client runs. */
  clientTools: ReadonlySet<string>;
  /** Releases the connections to MCP servers, after the tools were closed. */
  closeTools(): Promise<void>;
  watch: TurnWatch;
  /** Triggers that are checked before each model call: the server's and those of extensions. */
  triggers: readonly Trigger[];
  db: Queryable;
  approvalRules: ApprovalRules;
  /** The turn's own time. */
  deadline: Deadline;
  /** Waits for what needs no slot of the worker: other turns have it meanwhile. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
  /** Takes the server's own secrets out of a text. */
  redact(text: string): string;
  permissions: Omit<PermissionQuestion, 'tool' | 'argument'> & {
    root: OpenedRoot;
  };
}

/** The limit that a reply's token allowance is taken from. */
export type Budget = 'token_budget' | 'cost_budget' | DayBudget;

export type ToolUse = Extract<AssistantPart, { type: 'tool_use' }>;

/** The calls of the last finished step that have no final result yet, in the order asked. */
export function openCalls(run: Attempt): ToolUse[] {
  const parts = run.progress.steps.at(-1)?.parts ?? [];
  return parts.filter((part): part is ToolUse => {
    if (part.type !== 'tool_use') return false;
    const status = run.progress.results.get(part.id)?.status;
    return status === undefined || status === 'claimed';
  });
}

/** A call of the last finished step, for the ledger. */
export function ledgerCall(run: Attempt, call: ToolUse): LedgerCall {
  return {
    turnId: run.turn.id,
    callId: call.id,
    step: run.progress.steps.length,
    attempt: run.attempt,
    name: call.name,
    input: call.input,
  };
}

/** The reply so far: the text deltas of all steps that count, one after the other. */
export function replyText({ progress: { steps, draft } }: Attempt): string {
  const stored = steps.map((step) => joinText(step.parts)).join('');
  return draft === undefined ? stored : stored + joinText(draft.parts) + draft.openText;
}

function joinText(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
