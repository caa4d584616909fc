import type { PermissionQuestion } from '../../governance/permissions/offer-tools.js';
import type { TriggerFacts, Trigger, StoredNotice } from '../../governance/notices/trigger.js';
import type { OutputCheck } from '../../tools/output/schema-checks.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type {
  RequestPrefix,
  AnnouncedChanges,
  CacheBreak,
  SentPrefix,
} from '../../storage/shapes/sent-request.js';
import type { TurnTools } from '../../tools/registry.js';
import type { HookVerdict } from '../../tools/tool-hook.js';
import type { WrittenFiles, ToolCallStatus, TurnStatus } from '../../storage/shapes/stored-turn.js';
import type {
  AssistantPart,
  Todo,
  StepStopReason,
  Usage,
  AttachmentRef,
  StoredPart,
} from '../../storage/shapes/stored-step.js';
import type { ToolSpec, Price, ServerTool } from '../../storage/shapes/stored-options.js';
import type { JsonObject } from '../../platform/json.js';
import type { UserPart } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import type { ThinkingPlan } from '../../provider/thinking.js';
import type { RefusalKind } from '../../provider/provider-errors.js';
import type { Attempt } from './attempt.js';
import type { Narrow } from './tool-source.js';
import type { Recording } from './recording.js';
import type { Deadline } from './lease.js';

/** An attempt with everything that the loop works with. */
export interface AttemptContext extends Attempt {
  /** The turn's own time. */
  deadline: Deadline;
  model: ModelCalls;
  conversation: SentConversation;
  toolset: Toolset;
  rules: CallRules;
  triggers: TriggerContext;
  /** The object that the turn is to end with; absent: it ends with text. */
  output?: OutputPlan;
  /** Answers the calls of a replay; absent: calls run. */
  recording?: Recording;
}

/** What a subagent is started from: the context of its parent, before the parent's tools are opened. */
export type DelegatingAttempt = Attempt &
  Pick<AttemptContext, 'deadline' | 'model' | 'rules'> & { toolset: OfferedTools };

/** The tools that a turn is offered. */
export interface OfferedTools {
  /** Tools that the model may call; the prefix may list others. */
  specs: ToolSpec[];
  /** Names of the tools that the client runs. */
  clientTools: ReadonlySet<string>;
  /** Time limit of a call in ms. */
  timeoutMs: number;
  /** Most characters of output that are kept (see `capOutput`). */
  outputLimit: number;
}

/** The tools of a turn, to be called. `close` releases the connections to MCP servers after the tools. */
export interface Toolset extends OfferedTools, TurnTools {}

/** The rules for the calls of a turn. */
export interface CallRules {
  permissions: TurnPermissions;
  /** What may narrow the rules for a call, by what came before it. */
  narrowers: readonly Narrow[];
  approvals: ApprovalRules;
  /** Answers of the operator's hook in this attempt, by call and input. */
  hookAnswers: Map<string, Promise<HookVerdict>>;
}

export interface TurnPermissions extends Omit<PermissionQuestion, 'tool' | 'argument'> {
  root: OpenedRoot;
}

export interface ApprovalRules {
  /** Time that an approval may go without an answer, in ms. */
  timeoutMs: number;
  /** The decision without an answer in that time. */
  onTimeout: 'approve' | 'deny';
  /** Treatment of a call that may have had its effect, and whose process died. */
  unknownCalls: 'tell' | 'ask';
}

/** Triggers of a turn, and the facts that they look at beside the loop's own state. */
export interface TriggerContext {
  /** Triggers that are checked before each model call: the server's and those of extensions. */
  all: readonly Trigger[];
  /** The session has no other turn. */
  isFirstMessage: boolean;
  /** A sentence about the notes for agents in the project; undefined: there are none, or it is not the first turn. */
  projectFacts: string | undefined;
  /** Tokens of the conversation before this turn, as its last turn counted them. */
  contextBefore: number;
  todos: readonly Todo[];
  /** The step that last wrote the todo list; 0: no step of this turn. */
  todosTouchedAt: number;
  /** The summary that stands for earlier turns, while no turn has had a notice of it. */
  compaction: { id: string; summary: string } | undefined;
  /** The notice that stands for a change of the session: earlier requests stay as they were. */
  sessionChange: string | undefined;
  /** The state that the model knows with `sessionChange`, and what of it that says. */
  sessionState: RequestPrefix['told'] & { said: AnnouncedChanges };
  /** Files that were written by turns which are not in the conversation; undefined: the model knows. */
  written: WrittenFiles | undefined;
  /** Results that came while the turn was parked. */
  arrived: TriggerFacts['background'];
  /** Readings of every look so far, oldest first. */
  readings: TriggerFacts['readings'];
}

/** The object that a turn is to end with. */
export interface OutputPlan {
  /** How often the model may be asked for another reply. */
  repairs: number;
  check: OutputCheck;
}

/** The conversation that an attempt's requests send, up to the user's message. */
export interface SentConversation {
  /** The prefix of the session's requests. */
  prefix: RequestPrefix;
  /** The session has the prefix; else it is stored with the next step. */
  isPrefixStored: boolean;
  /** What is another in the next request than in the one before it. Absent: nothing. */
  broken?: CacheBreak | undefined;
  earlierTurns: readonly TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The user's message, files by their bytes. */
  userParts: UserPart[];
  /** The files in the turn's own outputs as they are shown, by call. */
  outputFiles: ReadonlyMap<string, readonly UserPart[]>;
  files: ShownFiles;
  /** Names of the files that the conversation has had. */
  fileNames: readonly string[];
  /** Whether the conversation could be shorter when the attempt began. */
  canShorten: boolean;
  /** Refusals of the provider that were remedied once. */
  recovered: Set<RefusalKind>;
  /** Earlier turns that ended with a refusal of the provider, and are sent all the same. */
  refusedTurns: readonly string[];
}

/** Shows the files of a conversation to the model. */
export interface ShownFiles {
  /** @returns the turns with their files as the model is shown them. */
  show(turns: readonly TurnTranscript[]): Promise<readonly TurnTranscript[]>;
}

/** A turn as the model is shown it. Files are loaded already. */
export interface TurnTranscript {
  turnId: string;
  userParts: UserPart[];
  /** The user's message, files by reference. Absent: no file of it is named to people. */
  asked?: readonly StoredPart[];
  steps: readonly TranscriptStep[];
  /** Results by call id. A call without an entry did not run. */
  results: ReadonlyMap<string, ShownResult>;
  /** Notices posted on the way, in order. */
  notices: readonly Pick<StoredNotice, 'afterStep' | 'mark' | 'kind' | 'text' | 'seenByModel'>[];
  /** Messages steered into the turn, in order. */
  steered: readonly { afterStep: number; text: string }[];
  status: TurnStatus;
  endReason: string | null;
}

export interface ShownResult {
  status: ToolCallStatus;
  output: string | null;
  /** Files of the output, by reference. Absent or null: none. */
  files?: readonly AttachmentRef[] | null;
  /** The files as the model is shown them. Absent: none. */
  shown?: readonly UserPart[];
}

export interface TranscriptStep {
  step: number;
  parts: readonly AssistantPart[];
  stopReason: StepStopReason;
  usage: Usage;
  /** The prefix its thinking is bound to; null where it is not. */
  sent: SentPrefix | null;
}

/** The model calls of an attempt, as far as they depend on the model: another one after a fallback. */
export interface ModelCalls {
  /** The parts of every request beside its messages. */
  frame: RequestFrame;
  /** Price of the model's tokens; undefined where it is not known. */
  price: Price | undefined;
  /** Tokens of a reply at most, where the options have no limit. */
  maxTokens: number;
  /** Tokens from which the model's window counts as full. */
  fullContext: number;
  /** Retries of a step whose stream ends with an overload. */
  overloadRetries: number;
  /** Whether the model may call any of the tools in the prefix. */
  hasTools: boolean;
}

/** The parts of every request of a turn beside its messages and `maxTokens`. */
export interface RequestFrame {
  /** The model's name in the request. */
  modelName: string;
  model: Model;
  system: string;
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Whether none of the tools may be called. */
  isToolless: boolean;
  /** Whether a reply may ask for one call at most. Absent: it may ask for several. */
  isOneCall?: boolean;
  thinking: ThinkingPlan;
  citations: boolean;
  /** How long the provider's cache is to keep requests. Absent: as long as it does by itself. */
  cacheFor?: '1h';
  /** JSON Schema that the provider holds replies to; absent: they are free. */
  outputSchema?: JsonObject;
  /** Steps up to this one, `turnId:step`, are sent without their thinking. */
  thinkingAfter: string | undefined;
  /** See `RequestPrefix`. */
  leftOut: readonly string[];
}
