import { agentConfigToWire } from '../governance/decision-tree/agent-config.js';
import { compact } from '../platform/compact.js';
import type { Persona } from './parse-agent-file.js';

/** An agent as `GET /agents` shows it. */
export interface AgentSummary {
  name: string;
  /** See `AgentEntry`. */
  file: string;
  /** The name for people, in the console and in lists. */
  title: string | null;
  description: string | null;
  /** Null: the turn's model, or the server's default. */
  model: string | null;
  /** Null: the server's default tools. */
  tools: readonly string[] | null;
  /** Limits that the file sets, by their wire names; `max_turns` is `max_iterations`. */
  limits: Record<string, number>;
  subagents: readonly string[];
  decision_tree: string;
  /** 0, 1 (talks to a person) or 2 (may be delegated to). Null: not given. */
  type: number | null;
}

export function summarizeAgent(persona: Persona, file: string): AgentSummary {
  const { maxTurns, agentConfig = {} } = persona;
  return {
    name: persona.name,
    file,
    title: persona.title ?? null,
    description: persona.description ?? null,
    model: persona.model ?? null,
    tools: persona.tools ?? null,
    limits: { ...agentConfigToWire(agentConfig), ...compact({ max_iterations: maxTurns }) },
    subagents: persona.subagents,
    decision_tree: persona.decisionTree ?? 'default',
    type: persona.agentType ?? null,
  };
}
