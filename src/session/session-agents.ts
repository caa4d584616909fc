import { parseDefinition } from '../agents/parse-agent-file.js';
import type { AgentFile } from '../agents/parse-agent-file.js';
import { canonicalPersonaName, isPersonaName } from '../agents/persona-name.js';
import { invalidRequest } from '../errors/typed-error.js';
import { isPlainObject, type JsonObject } from '../platform/json.js';
import { nearestName } from '../platform/parsing/nearest-name.js';

/** Agents of a session by name, as they were given. */
export type GivenAgents = Readonly<Record<string, JsonObject>>;

/** An agent that the turns of a session may delegate to. */
export interface NamedAgent {
  name: string;
  agent: AgentFile;
}

const MAX_AGENTS = 20;
/** Characters of all of them, in JSON. */
const MAX_CHARS = 65_536;

/** What a client may say of an agent. MCP servers are those of the session: a definition of an agent could start commands. */
const fields = [
  'title',
  'description',
  'prompt',
  'tools',
  'model',
  'max_turns',
  'limits',
  'permissions',
  'skills',
  'thinking',
];

/**
 * Checks the agents of a new session.
 *
 * @returns them as they were given, to be stored; null: none.
 * @throws TypedError INVALID_REQUEST that names the agent and the field.
 */
export function checkSessionAgents(given: unknown): GivenAgents | null {
  if (given === undefined || given === null) return null;
  if (!isPlainObject(given)) {
    throw wrong('agents', 'must be a map of names to agents, each with description and prompt');
  }
  const names = Object.keys(given);
  if (names.length === 0) return null;
  if (names.length > MAX_AGENTS)
    throw wrong('agents', `has ${names.length} agents; at most ${MAX_AGENTS} are allowed`);
  if (JSON.stringify(given).length > MAX_CHARS) {
    throw wrong('agents', `has more than ${MAX_CHARS} characters in all`);
  }
  const seen = new Set<string>();
  for (const [name, definition] of Object.entries(given)) checkAgent(name, definition, seen);
  return given as GivenAgents;
}

function checkAgent(name: string, given: unknown, seen: Set<string>): void {
  const at = `agents.${name}`;
  if (!isPersonaName(name)) throw wrong(at, 'is no name: use 1 to 64 letters, digits, _ or -');
  const canonical = canonicalPersonaName(name);
  if (seen.has(canonical)) throw wrong(at, 'has the name of another one: - and _ are the same');
  seen.add(canonical);
  if (!isPlainObject(given)) throw wrong(at, 'must be a map with description and prompt');
  const odd = Object.keys(given).find((key) => !fields.includes(key));
  if (odd !== undefined) {
    const near = nearestName(odd, fields);
    const hint =
      near === undefined
        ? `an agent of a session has ${fields.join(', ')}`
        : `did you mean ${near}?`;
    throw wrong(`${at}.${odd}`, `is not a field: ${hint}`);
  }
  const [problem] = agentOf(name, given).agent.content.problems;
  if (problem !== undefined) throw wrong(at, `is not valid: ${problem.message}`);
}

/** The agents of a stored session. */
export function agentsOfSession(given: GivenAgents | null): NamedAgent[] {
  return Object.entries(given ?? {}).map(([name, definition]) => agentOf(name, definition));
}

function agentOf(name: string, given: Readonly<Record<string, unknown>>): NamedAgent {
  const agent = parseDefinition({ ...given, AGENT_TYPE: '2', AGENT_CLASS: 'TASK' });
  return { name, agent };
}

function wrong(field: string, message: string) {
  return invalidRequest(`'${field}' ${message}`, { field });
}
