import { isPersonaName } from '../agents/persona-name.js';
import {
  agentConfigFields,
  readAgentConfig,
  type AgentConfig,
} from '../governance/agent-config.js';
import { isPlainObject } from '../platform/json.js';
import { invalidRequest } from '../platform/typed-error.js';
import { bootSession, type BootDeps, type BootReport } from './boot-session.js';
import { checkProjectRoot } from './check-project-root.js';
import { viewSession, type SessionRecord } from './view-session.js';

/** Of sessions that name none. */
export const defaultPersona = 'WORKING_ITEMS';
const defaultMode = 'direct';

/** Sessions as clients see them. */
export class SessionService {
  constructor(private readonly deps: BootDeps) {}

  /** @throws TypedError INVALID_REQUEST, WORKING_ROOT_*, SESSION_LIMIT. */
  async create(wanted: {
    projectRoot: string;
    persona?: string;
    mode?: string;
    agentConfig?: unknown;
  }): Promise<SessionRecord> {
    const persona = wanted.persona ?? defaultPersona;
    if (!isPersonaName(persona)) {
      throw invalidRequest(
        "Missing or invalid 'persona': letters, digits, '_' and '-', at most 64",
      );
    }
    const mode = wanted.mode ?? defaultMode;
    if (mode.length > 64 || mode.includes('\0')) throw invalidRequest("Missing or invalid 'mode'");
    const projectRoot = await this.#checkRoot(wanted.projectRoot);
    const agentConfig = readLimits(wanted.agentConfig);
    return viewSession(
      await this.deps.sessions.create({ projectRoot, persona, mode, agentConfig }),
    );
  }

  async list(projectRoot: string): Promise<SessionRecord[]> {
    const rows = await this.deps.sessions.list(await this.#checkRoot(projectRoot));
    return rows.map(viewSession);
  }

  async get(sessionId: string): Promise<SessionRecord> {
    return viewSession(await this.deps.sessions.get(sessionId));
  }

  boot(sessionId: string, opts: unknown): Promise<BootReport> {
    return bootSession(this.deps, sessionId, opts);
  }

  #checkRoot(projectRoot: string): Promise<string> {
    return checkProjectRoot(projectRoot, this.deps.personas.instructionRoot);
  }
}

/** @throws TypedError INVALID_REQUEST that names field, value and bounds. */
function readLimits(given: unknown): Partial<AgentConfig> | null {
  if (given === undefined) return null;
  if (!isPlainObject(given)) throw invalidRequest("'agentConfig' must be an object");
  const known = agentConfigFields.map(({ wireName }) => wireName);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const named = JSON.stringify(unknown.slice(0, 100));
    throw invalidRequest(`'agentConfig' has no field ${named}; its fields are ${known.join(', ')}`);
  }
  const { config, problems } = readAgentConfig(given);
  const [problem] = problems;
  if (problem !== undefined) throw invalidRequest(`'agentConfig': ${problem.message}`);
  return config;
}
