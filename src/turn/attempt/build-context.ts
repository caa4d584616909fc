import type { Persona } from '../../agents/parse-agent-file.js';
import { compact } from '../../platform/compact.js';
import { loadDelegate } from '../../session/project-agents.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import {
  buildSystem,
  type SystemFacts,
  choosePrefix,
  type ChosenPrefix,
} from '../prompt/prefix.js';
import { announcedBy, announcementOf } from '../prompt/announcements.js';
import { findBreak } from '../prompt/cache-break.js';
import { openFiles, shownOutputs } from '../prompt/conversation-files.js';
import { canShorten, namesOfFiles, openHistory, sentBefore } from '../prompt/history.js';
import { describeModel } from '../prompt/model-request.js';
import type { Attempt, Compaction, Progress } from '../state/attempt.js';
import type {
  ApprovalRules,
  AttemptContext,
  OutputPlan,
  TriggerContext,
  DelegatingAttempt,
} from '../state/attempt-context.js';
import type { AttemptServices } from '../state/attempt-services.js';
import type { Deadline } from '../state/lease.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { loadRecording, type Recording } from '../state/recording.js';
import type { TriggerFacts } from '../../governance/notices/trigger.js';
import { todoWriteTool } from '../../tools/builtin/todo-write.js';
import { findUnseenWrites } from '../branches/written-files.js';
import { contextBefore } from '../state/turn-state.js';
import { clientNotice } from '../../events/turn-event.js';
import type { ToolSource } from '../state/tool-source.js';
import { replaceTodos } from '../../session/todos.js';
import { openPathDenials } from '../../tools/calls/call-paths.js';
import type { DelegatedWork, TodoAccess, ToolContext } from '../../tools/tool.js';
import { openToolset, prepareTools, type PreparedTools } from './turn-tools.js';

export interface ContextSource {
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  deadline: Deadline;
  /** Where the turn's tools come from, in the order of their precedence. */
  sources: readonly ToolSource[];
  delegate: Delegate;
}

/** What was found for an attempt, of which its context is put together. */
interface Found {
  persona: Persona;
  root: OpenedRoot;
  prepared: PreparedTools;
  /** The recording that answers a replay's calls. Absent: the turn is no replay. */
  recording?: Recording;
}

/**
 * Builds what the loop needs of an attempt: persona, system prompt, tools, conversation with files. A conversation
 * that fills too much of the model's window is compacted first. Root and persona may have changed since the turn was taken.
 *
 * @throws TypedError when the project root or the persona is gone.
 */
export async function buildContext(
  attempt: Attempt,
  source: ContextSource,
): Promise<AttemptContext> {
  const { services, session, turn } = attempt;
  const { persona: name } = turn.options.options;
  const [root, persona, recording] = await Promise.all([
    services.projectRoots.openForOwner(session.projectRoot, {
      id: session.principalId,
      roleRoots: turn.projectRoots,
    }),
    turn.parentTurnId === null
      ? services.personas.load(name)
      : loadDelegate(services, session, { name, roleRoots: turn.projectRoots }),
    turn.request.replay && loadRecording(services.db, turn.request.replay),
  ]);
  const prepared = await prepareTools(attempt, source.sources, { persona, root });
  try {
    const complete = await prepared.withMessage(attempt);
    return await assemble(complete, source, { persona, root, prepared, ...compact({ recording }) });
  } catch (error) {
    await prepared.close();
    throw error;
  }
}

async function assemble(
  attempt: Attempt,
  { todos, compaction: stored, deadline, delegate }: ContextSource,
  { persona, root, prepared, recording }: Found,
): Promise<AttemptContext> {
  const { services, turn, progress } = attempt;
  const { options } = turn.options;
  const { permissions, narrowers, context } = prepared;
  const files = openFiles(attempt);
  const found = { persona, root, prepared };
  const before = choosePromptPrefix(attempt, found, stored ?? undefined);
  const { frame } = describeModel(attempt, options, before);
  const history = await openHistory(attempt, { todos, compaction: stored, frame, files });
  const { earlierTurns, summary, compaction, refusedTurns, own } = history;
  const isCompacted = compaction !== undefined && compaction.id !== stored?.id;
  const chosen = isCompacted ? choosePromptPrefix(attempt, found, compaction) : before;
  const prefix = turn.waitedMs > 0 ? waiting(chosen.prefix) : chosen.prefix;
  const model = describeModel(attempt, options, { ...chosen, prefix });
  const triggers = await openTriggers(attempt, {
    todos,
    compaction,
    root,
    sessionChange: chosen.notice,
    sessionState: { ...prefix.told, said: chosen.said },
  });
  const rules = {
    permissions,
    narrowers,
    approvals: approvalRules(services),
    hookAnswers: new Map(),
  };
  const parent = { ...attempt, deadline, model, rules, toolset: prepared };
  const openContext = () => openToolContext(parent, { root, context, triggers, delegate });
  const hasDeferred = prefix.tools.some(({ deferred }) => deferred === true);
  return {
    ...parent,
    toolset: openToolset(prepared, hasDeferred, openContext),
    conversation: {
      earlierTurns,
      summary,
      prefix,
      isPrefixStored: !chosen.isChanged && prefix === chosen.prefix,
      broken: chosen.isChanged ? findBreak(attempt.session.prefix, prefix) : undefined,
      userParts: own.userParts,
      outputFiles: shownOutputs(own),
      files,
      fileNames: namesOfFiles(attempt.earlier),
      canShorten: canShorten(history, progress),
      recovered: new Set(),
      refusedTurns,
    },
    triggers,
    ...compact({ output: planOutput(services, options), recording }),
  };
}

/** The prefix of a session in which people are waited for: five minutes of the cache would be over before they answer. */
function waiting(prefix: RequestPrefix): RequestPrefix {
  return prefix.waits === true ? prefix : { ...prefix, waits: true };
}

/** The prefix of the session's requests, as this turn asks for it. */
function choosePromptPrefix(
  attempt: Attempt,
  { persona, root, prepared }: Found,
  compaction: Compaction | undefined,
): ChosenPrefix {
  const { services, session, turn, progress } = attempt;
  const { options } = turn.options;
  const { specs: tools, serverTools, parts } = prepared;
  const announcedBefore = sentBefore(attempt, compaction).flatMap(({ notices }) => notices);
  // Those of an attempt that crashed.
  const announcedNow = progress.notices.map((one) => ({ announced: announcementOf(one) }));
  return choosePrefix(session.prefix, {
    systemIn: (mode, paragraphs) =>
      sharedPrompt(services, persona, {
        prompt: persona.prompt,
        persona: options.persona,
        projectRoot: root.projectRoot,
        mode,
        paragraphs,
        ...compact({ instructions: turn.request.instructions }),
      }),
    mode: options.mode,
    tools,
    serverTools,
    parts,
    compaction: compaction?.id,
    announced: announcedBy(
      [...announcedBefore, ...announcedNow],
      parts.map(({ part }) => part),
    ),
  });
}

/** Turns that run have one copy of their prompt: most turns of an agent have the same. */
function sharedPrompt(
  { systemPrompts }: AttemptServices,
  persona: Persona,
  facts: SystemFacts,
): string {
  const system = buildSystem(facts);
  const last = systemPrompts.get(persona);
  if (last === system) return last;
  systemPrompts.set(persona, system);
  return system;
}

/** What the operator has set for the approvals of every turn. */
function approvalRules({ config }: AttemptServices): ApprovalRules {
  const { approvalTimeoutMs: timeoutMs, approvalDefault: onTimeout, unknownCalls } = config;
  return { timeoutMs, onTimeout, unknownCalls };
}

/** The object that the calls are to end with; undefined: they end with text. */
function planOutput(
  { checks }: AttemptServices,
  { output }: ResolvedOptions,
): OutputPlan | undefined {
  if (output === undefined) return undefined;
  const { repairs, schema } = output;
  return { repairs, check: (value) => checks.check(schema, value) };
}

export interface TriggerSource {
  todos: readonly Todo[] | null;
  compaction: Compaction | undefined;
  sessionChange: string | undefined;
  sessionState: TriggerContext['sessionState'];
  root: OpenedRoot;
}

/** Opens the triggers of an attempt, and what they look at. */
async function openTriggers(
  attempt: Attempt,
  { todos, compaction, sessionChange, sessionState, root }: TriggerSource,
): Promise<TriggerContext> {
  const { services, turn, session, progress, earlier } = attempt;
  const isFirstMessage = earlier.length === 0;
  const before = compaction === undefined ? contextBefore(earlier) : 0;
  const window = services.models.describe(turn.options.options.model).contextWindow;
  return {
    all: services.triggers,
    isFirstMessage,
    projectFacts: isFirstMessage ? await services.projectFacts.find(session, root) : undefined,
    contextBefore: before,
    todos: todos ?? [],
    todosTouchedAt: lastTodoStep(progress),
    compaction,
    sessionChange,
    sessionState,
    written: mayHaveUnseenWrites(attempt) ? await findUnseenWrites(attempt) : undefined,
    arrived: findArrived(attempt),
    readings: [{ contextPercent: (before * 100) / window, memoryPercent: 0, diskPercent: 0 }],
  };
}

/** Whether the session has files of turns that are not in its conversation. */
function mayHaveUnseenWrites({ turn, session }: Attempt): boolean {
  return turn.replaces !== null || session.forkedFrom !== null;
}

/** The step that wrote the todo list last; 0: no step of this turn. */
function lastTodoStep({ steps, results }: Progress): number {
  const last = steps.findLast(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'tool_use' &&
        part.name === todoWriteTool.name &&
        results.get(part.id)?.status === 'success',
    ),
  );
  return last?.step ?? 0;
}

type Parked = Pick<Attempt, 'approvals' | 'children'> & {
  turn: Pick<Attempt['turn'], 'attempt' | 'parkedAttempt'>;
};

/**
 * Results that came while the turn was parked: of tools that its client runs, and of subagents that an
 * earlier attempt had started. Pure.
 */
export function findArrived({ turn, approvals, children }: Parked): TriggerFacts['background'] {
  const answered = approvals
    .filter(({ kind, decision }) => kind === 'client-tool' && decision === 'answer')
    .map(({ id, name, isError }) => ({
      id,
      text: `${name} has ${isError === true ? 'failed' : 'ended'}: its client answered while the turn waited.`,
    }));
  if (turn.parkedAttempt !== turn.attempt - 1) return answered;
  const ended = children
    .filter(({ usage, isOver }) => usage !== undefined && !isOver)
    .map(({ id, agent }) => ({
      id,
      text: `The subagent ${agent} has ended while the turn waited.`,
    }));
  return [...answered, ...ended];
}

/** Delegates a piece of work to a subagent, and gives its answer. */
type Delegate = (parent: DelegatingAttempt, work: DelegatedWork) => Promise<string>;

/** What the tools of a turn are given to work with. */
function openToolContext(
  parent: DelegatingAttempt,
  {
    root,
    context,
    triggers,
    delegate,
  }: {
    root: OpenedRoot;
    /** What the sources of tools give theirs. */
    context: Partial<ToolContext>;
    triggers: TriggerContext;
    delegate: Delegate;
  },
): ToolContext {
  const { services, rules, turn, model, toolset } = parent;
  const offered = new Set(toolset.specs.map(({ name }) => name));
  const { projectRoot, ownPaths, others, quota, spellings } = root;
  return {
    workdir: projectRoot,
    turn: {
      principal: turn.principalId,
      sessionId: turn.sessionId,
      turnId: turn.id,
      agent: turn.options.options.persona,
    },
    ownPaths,
    isDenied: openPathDenials(rules.permissions, spellings),
    ...compact({ others, quota, maxResults: turn.options.options.contextNodes }),
    env: services.shellEnv,
    todos: openTodos(parent, triggers),
    ...context,
    deferred: model.frame.tools.filter(
      ({ name, deferred }) => deferred === true && offered.has(name),
    ),
    delegate: (work) => delegate(parent, work),
  };
}

/** The session's todo list for the turn's tools; every change is a notice. */
function openTodos(
  { turn, clock, writer, progress }: Attempt,
  triggers: TriggerContext,
): TodoAccess {
  return {
    replace: async (items) => {
      await writer.commit(
        [clientNotice('step', 'todos', `${items.length} todos`, { todos: items })],
        [replaceTodos({ sessionId: turn.sessionId, items, updatedAt: new Date(clock.now()) })],
      );
      triggers.todos = items;
      triggers.todosTouchedAt = progress.steps.length;
    },
  };
}
