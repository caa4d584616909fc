import type { PermissionQuestion } from '../../governance/permissions/decide-permission.js';
import type { Facts, Trigger } from '../../notices/trigger.js';
import type { OutputCheck } from '../../output/schema-checks.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { RequestPrefix, ToldSkill } from '../../storage/shapes/sent-request.js';
import type { CallEnd } from '../../tools/ledger.js';
import type { TurnTools } from '../../tools/registry.js';
import type { HookVerdict } from '../../tools/tool-hook.js';
import type { Attempt, ToolUse } from './attempt.js';
import type { Deadline } from './lease.js';
import type { WrittenFiles } from '../../storage/shapes/stored-turn.js';
import type { AssistantPart, Todo } from '../../storage/shapes/stored-step.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import type { ModelCalls, SentConversation } from './sent-conversation.js';

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
  recording?: RecordedAnswers;
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
  /** Skills that the turn can load: those that it has loaded may narrow its calls. */
  skills: readonly ToldSkill[];
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
  /** The state that `sessionChange` announces. */
  sessionState: RequestPrefix['told'];
  /** Files that were written by turns which are not in the conversation; undefined: the model knows. */
  written: WrittenFiles | undefined;
  /** Results that came while the turn was parked. */
  arrived: Facts['background'];
  /** Readings of every look so far, oldest first. */
  readings: Facts['readings'];
}

/** The object that a turn is to end with. */
export interface OutputPlan {
  /** How often the model may be asked for another reply. */
  repairs: number;
  check: OutputCheck;
}

export interface RecordedAnswers {
  /**
   * The end of a call: its recorded result, or an error.
   *
   * @param steps of the replay so far, the call's among them.
   */
  answer(steps: readonly { parts: readonly AssistantPart[] }[], call: ToolUse): CallEnd;
}
