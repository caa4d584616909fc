import type { AgentConfig } from '../governance/agent-config.js';
import { FieldReader } from './field-reader.js';
import { splitFrontMatter } from './front-matter.js';

/** An agent or persona: what its Markdown file says, checked. */
export interface Persona {
  name: string;
  description?: string;
  /** Tools it asks for; an explicit empty list means none. Absent: the default applies. */
  tools?: readonly string[];
  /** Most model calls of a turn; an integer from 1. */
  maxTurns?: number;
  /** Limits of its turns. */
  agentConfig?: Partial<AgentConfig>;
  /** Name of the decision tree that ends its turns. Absent: `default`. */
  decisionTree?: string;
  /** Names it may delegate to. */
  subagents: readonly string[];
  /** Tools that need no approval. */
  autoApproveTools: readonly string[];
  /** Tools it never gets. */
  disallowedTools: readonly string[];
  /** Kept for the reader; a turn's model is not chosen from it. */
  model?: string;
  /** 0, 1 (talks to a person) or 2 (may be delegated to). */
  agentType?: number;
  agentClass?: string;
  /** The system prompt: the file without its front matter. */
  prompt: string;
  /** What the file says wrongly and what was done about it, one sentence each. */
  problems: readonly string[];
}

const agentTypes = ['0', '1', '2'];
const agentClasses = ['PERSONA', 'TASK'];

/** Reads a persona file. Never throws: what is wrong is left out and named in `problems`. */
export function parsePersona(name: string, file: string): Persona {
  const { fields, body, problems } = splitFrontMatter(file);
  const reader = new FieldReader(fields, problems);
  const agentType = reader.header('AGENT_TYPE', body, agentTypes);
  const persona: Persona = {
    name,
    ...present('description', reader.text('description')),
    ...present('tools', reader.toolList('tools')),
    ...present('maxTurns', reader.positiveInteger('max_turns')),
    ...present('agentConfig', reader.agentConfig('agent_config')),
    ...present('decisionTree', reader.text('decision_tree')),
    subagents: reader.names('subagents'),
    autoApproveTools: reader.names('auto_approve_tools'),
    disallowedTools: reader.names('disallowed_tools'),
    ...present('model', reader.text('model')),
    ...present('agentType', agentType === undefined ? undefined : Number(agentType)),
    ...present('agentClass', reader.header('AGENT_CLASS', body, agentClasses)),
    prompt: body,
    problems,
  };
  if (body === '') problems.push('the prompt is empty: write it below the front matter');
  return persona;
}

function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}
