import type { Persona } from '../../agents/parse-agent-file.js';
import { compact } from '../../platform/compact.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import {
  buildSystem,
  type SystemFacts,
  choosePrefix,
  type ChosenPrefix,
} from '../prompt/prefix.js';
import { openFiles, shownOutputs } from '../prompt/conversation-files.js';
import { canShorten, namesOfFiles, openHistory } from '../prompt/history.js';
import { describeModel } from '../prompt/model-request.js';
import type { Attempt, Compaction } from '../state/attempt.js';
import type {
  ApprovalRules,
  AttemptContext,
  OutputPlan,
  RecordedAnswers,
} from '../state/attempt-context.js';
import type { AttemptServices } from '../state/attempt-services.js';
import type { Deadline } from '../state/lease.js';
import type { StoredTurn } from '../state/stored-turn.js';
import { openToolContext, type Delegate } from './tool-context.js';
import { openTriggers } from './trigger-context.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { loadRecording } from '../branches/recording.js';
import { openToolset, prepareTools, type PreparedTools } from './turn-tools.js';

export interface ContextSource {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  deadline: Deadline;
  delegate: Delegate;
}

/** What was found for an attempt, of which its context is put together. */
interface Found {
  persona: Persona;
  root: OpenedRoot;
  prepared: PreparedTools;
  /** The recording that answers a replay's calls. Absent: the turn is no replay. */
  recording?: RecordedAnswers;
}

/**
 * Builds what the loop needs of an attempt: persona, system prompt, tools, conversation with files. A conversation
 * that fills too much of the model's window is compacted first.
 *
 * @throws TypedError when the project root or the persona is gone.
 */
export async function buildContext(
  attempt: Attempt,
  source: ContextSource,
): Promise<AttemptContext> {
  const { services, session, turn } = attempt;
  const [root, persona, recording] = await Promise.all([
    services.projectRoots.openForOwner(session.projectRoot, session.principalId),
    services.personas.load(turn.options.options.persona),
    loadRecording(services.db, turn),
  ]);
  const prepared = await prepareTools(attempt, { persona, root });
  try {
    return await assemble(attempt, source, { persona, root, prepared, ...compact({ recording }) });
  } catch (error) {
    await prepared.close();
    throw error;
  }
}

async function assemble(
  attempt: Attempt,
  { earlier, todos, compaction: stored, deadline, delegate }: ContextSource,
  { persona, root, prepared, recording }: Found,
): Promise<AttemptContext> {
  const { services, turn, progress } = attempt;
  const { options } = turn.options;
  const { permissions, skills } = prepared;
  const files = openFiles(attempt);
  const chosen = choosePromptPrefix(attempt, { persona, root, prepared });
  const { prefix, hasTools } = chosen;
  const model = describeModel(attempt, options, { prefix, hasTools });
  const { frame } = model;
  const history = await openHistory(attempt, { earlier, todos, compaction: stored, frame, files });
  const { earlierTurns, summary, compaction, refusedTurns, own } = history;
  const triggers = await openTriggers(attempt, {
    earlier,
    todos,
    compaction,
    sessionChange: chosen.notice,
    sessionState: prefix.told,
  });
  const rules = {
    permissions,
    skills: skills.told,
    approvals: approvalRules(services),
    hookAnswers: new Map(),
  };
  const parent = { ...attempt, deadline, model, rules, toolset: prepared };
  const openContext = () => openToolContext(parent, { root, skills, triggers, delegate });
  return {
    ...parent,
    toolset: openToolset(prepared, openContext),
    conversation: {
      earlierTurns,
      summary,
      prefix,
      isPrefixStored: !chosen.isChanged,
      userParts: own.userParts,
      outputFiles: shownOutputs(own),
      files,
      fileNames: namesOfFiles(earlier),
      canShorten: canShorten(history, progress),
      recovered: new Set(),
      refusedTurns,
    },
    triggers,
    ...compact({ output: planOutput(services, options), recording }),
  };
}

/** The prefix of the session's requests, as this turn asks for it. */
function choosePromptPrefix(
  { services, session, turn }: Attempt,
  { persona, root, prepared }: Found,
): ChosenPrefix {
  const { options } = turn.options;
  const { specs: tools, serverTools, servers, skills } = prepared;
  return choosePrefix(session.prefix, {
    systemIn: (mode, listed, told) =>
      sharedPrompt(services, persona, {
        prompt: persona.prompt,
        persona: options.persona,
        projectRoot: root.projectRoot,
        mode,
        skills: listed,
        servers: told,
        ...compact({ instructions: turn.request.instructions }),
      }),
    mode: options.mode,
    skills: skills.told,
    servers,
    tools,
    serverTools,
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
