import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type { SubagentGateId, SubagentVerdict } from '../../storage/shapes/stored-permissions.js';

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
