import { Inject, Injectable } from '@nestjs/common';
import { forbiddenScope } from '../access/access-errors.js';
import type { Principal } from '../access/principal.js';
import type { AgentConfigDto } from '../options/preferences.dto.js';
import { DEFAULT_PERSONA, isPersonaName } from '../agents/persona-name.js';
import { harnessLimits } from '../attachments/file-limits.js';
import { CONFIG, type Config } from '../config/config.js';
import { invalidRequest } from '../errors/typed-error.js';
import { validateAgentConfig } from '../governance/decision-tree/agent-config.js';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import { badCursor, type PageQueryDto } from '../http/paging/page-query.dto.js';
import { parseMode } from '../options/permission-mode.js';
import { nameOf } from '../parsing/word-issue.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import type { KeyScope } from '../storage/governance-schema.js';
import type { SessionOrigin } from '../storage/schema.js';
import {
  type AgentConfig,
  serverToolNames,
  type PermissionRules,
  type PermissionMode,
} from '../storage/shapes/stored-options.js';
import { MCP, type Mcp } from '../tools/mcp/mcp.js';
import { ToolRegistry } from '../tools/registry.js';
import {
  formatPageToken,
  parsePageToken,
  type PagedSession,
  type SessionFilter,
} from './page-sessions.js';
import { ProjectRoots } from './project-roots.js';
import { SessionBooter, type BootReport } from './session-booter.js';
import { SessionStore, type NewSession } from './session-store.js';
import {
  viewPagedSession,
  viewSession,
  type ListedSession,
  type SessionRecord,
} from './view-session.js';

const defaultMode = 'direct';

export interface WantedSession {
  /** Absent: the caller's own folder. */
  projectRoot?: string | undefined;
  persona?: string;
  mode?: string;
  agentConfig?: AgentConfigDto;
  permissions?: unknown;
  mcpServers?: unknown;
}

/** The caller, and what its sessions have that name nothing: `GET /api/harness/session/defaults`. */
export interface SessionDefaults {
  principal: string;
  /** Whether the server has keys. */
  isKeyed: boolean;
  scopes: readonly KeyScope[];
  projectRoot: string;
  persona: string;
  mode: string;
  /** Bytes of the largest file that a turn takes. */
  attachmentBytes: number;
}

/** Sessions as clients see them. */
@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionStore,
    @Inject(ProjectRoots) private readonly projectRoots: Pick<ProjectRoots, 'check' | 'defaultOf'>,
    @Inject(SessionBooter) private readonly booter: Pick<SessionBooter, 'boot'>,
    @Inject(ToolRegistry) private readonly tools: Pick<ToolRegistry, 'list'>,
    @Inject(MCP) private readonly mcp: Pick<Mcp, 'checkSession'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'modeCeiling'>,
  ) {}

  /**
   * @param caller its owner.
   * @param origin the wire that creates it.
   * @throws TypedError INVALID_REQUEST, WORKING_ROOT_*, SESSION_LIMIT.
   */
  async create(
    wanted: WantedSession,
    caller: Principal,
    origin: SessionOrigin = 'harness',
  ): Promise<SessionRecord> {
    return viewSession(await this.sessions.create(await this.check(wanted, caller, origin)));
  }

  /**
   * Checks a session that is wanted, and stores nothing.
   *
   * @throws TypedError INVALID_REQUEST, FORBIDDEN_SCOPE, WORKING_ROOT_*.
   */
  async check(
    wanted: WantedSession,
    caller: Principal,
    origin: SessionOrigin = 'harness',
  ): Promise<NewSession> {
    const persona = wanted.persona ?? DEFAULT_PERSONA;
    if (!isPersonaName(persona)) {
      throw invalidRequest(
        "Missing or invalid 'persona': letters, digits, '_' and '-', at most 64",
      );
    }
    const mode = wanted.mode ?? defaultMode;
    if (mode.length > 64 || mode.includes('\0')) throw invalidRequest("Missing or invalid 'mode'");
    checkLoosening(wanted, { caller, ceiling: this.config.modeCeiling });
    const named = wanted.projectRoot ?? (await this.projectRoots.defaultOf(caller));
    const projectRoot = await this.projectRoots.check(named, caller);
    const { id: principalId } = caller;
    const agentConfig = toLimits(wanted.agentConfig);
    const permissions = validateRules(wanted.permissions, this.tools);
    const mcpServers = validateMcpServers(wanted.mcpServers, this.mcp);
    const rules = { agentConfig, permissions, mcpServers };
    return { principalId, projectRoot, persona, mode, origin, ...rules };
  }

  async defaults(caller: Principal): Promise<SessionDefaults> {
    return {
      principal: caller.id,
      isKeyed: caller.keyId !== null,
      scopes: caller.scopes,
      projectRoot: await this.projectRoots.defaultOf(caller),
      persona: DEFAULT_PERSONA,
      mode: defaultMode,
      attachmentBytes: harnessLimits.fileBytes,
    };
  }

  /** Lists the caller's sessions of a project, oldest first. */
  async list(projectRoot: string, caller: Principal): Promise<SessionRecord[]> {
    const { sessions, projectRoots } = this;
    const rows = await sessions.list(await projectRoots.check(projectRoot, caller), caller.id);
    return rows.map(viewSession);
  }

  /**
   * Lists a page of a principal's sessions of all folders, the last used first.
   *
   * @throws TypedError INVALID_REQUEST 400 for an invalid cursor or limit.
   */
  async page(
    principalId: string,
    page: PageQueryDto & SessionFilter,
  ): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    const { rows, ...rest } = await this.pageRows(principalId, page);
    return { sessions: rows.map(viewPagedSession), ...rest };
  }

  /** As `page`, of one wire's sessions or of all, for views of the wires' own. */
  async pageRows(
    principalId: string,
    { cursor, limit, ...wanted }: PageQueryDto & SessionFilter,
  ): Promise<{ rows: PagedSession[]; nextCursor?: string }> {
    const after = cursor === undefined ? undefined : parsePageToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    // A row beyond the page shows whether another page follows.
    const found = await this.sessions.page(principalId, { ...wanted, after, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    return { rows, ...(last === undefined ? {} : { nextCursor: formatPageToken(last) }) };
  }

  async get(sessionId: string): Promise<SessionRecord> {
    return viewSession(await this.sessions.get(sessionId));
  }

  /** @param title null: the beginning of its first message. @throws TypedError SESSION_NOT_FOUND. */
  async rename(sessionId: string, title: string | null): Promise<SessionRecord> {
    return viewSession(await this.sessions.rename(sessionId, title));
  }

  boot(sessionId: string, opts: unknown, caller: Principal): Promise<BootReport> {
    return this.booter.boot(sessionId, opts, caller);
  }
}

/**
 * Checks what a session allows in advance, which is an approval: the key must have the scope
 * `approvals`, and the operator's ceiling must permit it.
 *
 * @throws TypedError FORBIDDEN_SCOPE 403, INVALID_REQUEST 400.
 */
function checkLoosening(
  { mode, permissions }: WantedSession,
  { caller, ceiling }: { caller: Principal; ceiling: PermissionMode },
): void {
  const given: unknown = isPlainObject(permissions) ? permissions['allow'] : undefined;
  const allows = Array.isArray(given) && given.length > 0;
  if (allows && ceiling !== 'acceptEdits') {
    throw invalidRequest(
      `'permissions.allow' is not taken by this server, whose TURNPIKE_MODE_CEILING is ${ceiling}: leave it out, and calls are asked about`,
    );
  }
  const loosens = allows || (mode !== undefined && parseMode(mode) === 'acceptEdits');
  if (loosens && !caller.scopes.includes('approvals')) {
    throw forbiddenScope('approvals', caller.scopes);
  }
}

function toLimits(given: AgentConfigDto | undefined): Partial<AgentConfig> | null {
  return given === undefined ? null : validateAgentConfig(compact(given)).config;
}

/** @throws TypedError INVALID_REQUEST that names the rule and what is wrong with it. */
function validateRules(given: unknown, tools: Pick<ToolRegistry, 'list'>): PermissionRules | null {
  if (given === undefined) return null;
  const known = [...tools.list(), ...serverToolNames.map((name) => ({ name }))];
  const { value, faults = [] } = validatePermissionRules(given, known);
  const [fault] = faults;
  if (fault === undefined) return value ?? {};
  throw invalidRequest(`'${nameOf(['permissions', ...fault.path])}' ${fault.message}`);
}

/** @throws TypedError INVALID_REQUEST that names the field, and never a value: it may be a credential. */
function validateMcpServers(
  given: unknown,
  mcp: Pick<Mcp, 'checkSession'>,
): Record<string, unknown> | null {
  if (given === undefined) return null;
  return mcp.checkSession(given);
}
