import { isPersonaName } from '../agents/persona-name.js';
import { invalidRequest } from '../platform/typed-error.js';
import { bootSession, type BootDeps, type BootReport } from './boot-session.js';
import { checkProjectRoot } from './check-project-root.js';
import { viewSession, type SessionRecord } from './view-session.js';

const defaultPersona = 'WORKING_ITEMS';
const defaultMode = 'direct';

/** Sessions as clients see them. */
export class SessionService {
  constructor(private readonly deps: BootDeps) {}

  /** @throws TypedError INVALID_REQUEST, WORKING_ROOT_*, SESSION_LIMIT. */
  async create(wanted: {
    projectRoot: string;
    persona?: string;
    mode?: string;
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
    return viewSession(await this.deps.sessions.create({ projectRoot, persona, mode }));
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
