import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type {
  SubagentGateId,
  SubagentVerdict,
  SubagentDecision,
} from '../../storage/shapes/stored-options.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { isTypedError } from '../../errors/typed-error.js';

export interface SubagentQuestion {
  /** Whether the server allows delegation at all. */
  isEnabled: boolean;
  /** The active persona: agents it may delegate to, and its `AGENT_TYPE`, where declared. */
  persona: { name: string; subagents: readonly string[]; agentType?: number };
  /** `opts.subagentGovernance` as received. */
  metadata: unknown;
}

/**
 * A visible character: letter, number, punctuation or symbol. Zero-width characters and invisible
 * fillers, which Unicode classes as letters, are excluded.
 */
const seen = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

interface Gate {
  gate: SubagentGateId;
  /** Condition in the documentation's table. */
  passes: string;
  isPassed(question: SubagentQuestion): boolean;
  reason(question: SubagentQuestion): string;
}

/** Gates in order. Booleans are strict: `"true"` and `1` are refused. */
const gates: readonly Gate[] = [
  {
    gate: 'ENVIRONMENT',
    passes: '`TURNPIKE_ENABLE_SUBAGENTS` is exactly `true`',
    isPassed: ({ isEnabled }) => isEnabled,
    reason: () => 'The server does not allow delegation. Set TURNPIKE_ENABLE_SUBAGENTS=true.',
  },
  {
    gate: 'PERSONA_ALLOWLIST',
    passes: 'the persona names `subagents`, and is not a task agent (`AGENT_TYPE: 2`) itself',
    isPassed: ({ persona }) => persona.subagents.length > 0 && persona.agentType !== 2,
    reason: ({ persona }) =>
      persona.agentType === 2
        ? `${persona.name} is a task agent, which is delegated to and does not delegate.`
        : `${persona.name} may delegate to nobody. List agents under subagents in its file.`,
  },
  {
    gate: 'METADATA_PRESENCE',
    passes: '`opts.subagentGovernance` is an object',
    isPassed: ({ metadata }) => isPlainObject(metadata),
    reason: () => 'The turn asks for no delegation: send opts.subagentGovernance as an object.',
  },
  {
    gate: 'CONTEXT_SEALED',
    passes: '`contextSealed` is `true`',
    isPassed: (question) => fieldOf(question, 'contextSealed') === true,
    reason: () => 'opts.subagentGovernance.contextSealed must be true.',
  },
  {
    gate: 'PIPELINE_RUN_APPROVED',
    passes: '`pipelineRunApproved` is `true`',
    isPassed: (question) => fieldOf(question, 'pipelineRunApproved') === true,
    reason: () => 'opts.subagentGovernance.pipelineRunApproved must be true.',
  },
  {
    gate: 'APPROVAL_REF',
    passes: '`approvalRef` is text with a character that can be seen',
    isPassed: (question) => textOf(question, 'approvalRef') !== undefined,
    reason: () => 'opts.subagentGovernance.approvalRef must name the approval.',
  },
];

/** Judges whether a turn may delegate: the first closed gate refuses. Pure. */
export function judgeDelegation(question: SubagentQuestion): SubagentVerdict {
  const closed = gates.find((gate) => !gate.isPassed(question));
  if (closed !== undefined) {
    return { allowed: false, gate: closed.gate, reason: closed.reason(question) };
  }
  return {
    allowed: true,
    gate: 'ALLOW',
    reason: 'All gates are passed.',
    ...compact({
      approvalRef: textOf(question, 'approvalRef'),
      approvedBy: textOf(question, 'approvedBy'),
    }),
  };
}

/** The gates, for the documentation. */
export function delegationTable(): { gate: string; passes: string }[] {
  return gates.map(({ gate, passes }) => ({ gate, passes }));
}

function fieldOf({ metadata }: SubagentQuestion, name: string): unknown {
  // Own fields only: inherited ones were not in the request.
  return isPlainObject(metadata) && Object.hasOwn(metadata, name) ? metadata[name] : undefined;
}

function textOf(question: SubagentQuestion, name: string): string | undefined {
  const value = fieldOf(question, name);
  const text = typeof value === 'string' ? value.trim() : '';
  return seen.test(text) ? text : undefined;
}

/** Agents by name, as far as a delegation looks at them. @throws TypedError PERSONA_NOT_FOUND. */
interface Agents {
  load(name: string): Promise<{ agentType?: number; agentClass?: string }>;
}

export interface DelegationDeps {
  personas: Agents;
  clock: Clock;
  logger: Logger;
  config: { subagentsEnabled: boolean };
}

/** Never throws: what cannot be decided is denied, and the turn goes on without delegation. */
export async function decideDelegation(
  deps: DelegationDeps,
  persona: SubagentQuestion['persona'],
  metadata: unknown,
): Promise<SubagentDecision> {
  const { personas, clock, logger, config } = deps;
  const startedAt = clock.now();
  const allowlistedSubagents = persona.subagents;
  const decide = async (): Promise<Omit<SubagentDecision, 'evaluationMs'>> => {
    const isEnabled = config.subagentsEnabled;
    const verdict = judgeDelegation({ isEnabled, persona, metadata });
    if (!verdict.allowed) return { ...verdict, allowlistedSubagents, delegatedSubagents: [] };
    const { names, dropped, warnings } = await findDelegates(personas, allowlistedSubagents);
    for (const one of dropped)
      logger.warn(
        { persona: persona.name, ...one },
        'a subagent that an agent names cannot be used; the turn goes on without it',
      );
    for (const one of warnings)
      logger.warn(
        { persona: persona.name, ...one },
        'a subagent is used although its file is incomplete; complete it',
      );
    return { ...verdict, allowlistedSubagents, delegatedSubagents: names };
  };
  const decided = await decide().catch((error: unknown) => {
    logger.error(
      { persona: persona.name, error },
      'could not decide whether a turn may delegate; it goes on without subagents',
    );
    return { ...undecided, allowlistedSubagents, delegatedSubagents: [] };
  });
  return { ...decided, evaluationMs: clock.now() - startedAt };
}

/** Logs the decision about a turn's subagents, in one line. */
export function logDelegation(
  { logger, config }: { logger: Logger; config: { subagentWarnMs: number } },
  turn: { turnId: string; sessionId: string; persona: string },
  decision: SubagentDecision,
): void {
  const isSlow = decision.evaluationMs > config.subagentWarnMs;
  // Without agents to delegate to there was nothing to decide.
  const line = isSlow ? 'warn' : decision.allowlistedSubagents.length > 0 ? 'info' : 'debug';
  logger[line]({ ...turn, ...decision }, 'delegation decided');
}

const undecided: SubagentVerdict = {
  allowed: false,
  gate: 'INTERNAL_ERROR',
  reason: 'The decision failed; the log of the server says why.',
};

/** `AGENT_TYPE` of agents that may be delegated to. */
const TASK_AGENT = 2;

interface Delegates {
  /** Names of delegates, in the order of the persona's list. */
  names: string[];
  /** Listed agents that are no delegates, with the reason. */
  dropped: { name: string; reason: string }[];
  /** Delegates with a doubtful file. */
  warnings: { name: string; reason: string }[];
}

/** Selects the delegates from the agents that a persona lists: those with a file of `AGENT_TYPE: 2`. */
async function findDelegates(personas: Agents, listed: readonly string[]): Promise<Delegates> {
  const delegates: Delegates = { names: [], dropped: [], warnings: [] };
  for (const name of listed) {
    const agent = await loadOrUndefined(personas, name);
    if (agent === undefined) {
      delegates.dropped.push({ name, reason: 'it has no file' });
    } else if (agent.agentType !== TASK_AGENT) {
      delegates.dropped.push({ name, reason: `its file does not say AGENT_TYPE: ${TASK_AGENT}` });
    } else {
      delegates.names.push(name);
      if (agent.agentClass !== 'TASK') {
        delegates.warnings.push({ name, reason: 'its file does not say AGENT_CLASS: TASK' });
      }
    }
  }
  return delegates;
}

async function loadOrUndefined(personas: Agents, name: string) {
  try {
    return await personas.load(name);
  } catch (error) {
    if (isTypedError(error, 'PERSONA_NOT_FOUND')) return undefined;
    throw error;
  }
}
