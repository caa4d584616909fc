import { Inject, Injectable } from '@nestjs/common';
import { forbiddenScope } from '../access/access-errors.js';
import type { Principal } from '../access/principal.js';
import { CONFIG, type Config } from '../config/config.js';
import { invalidRequest } from '../errors/typed-error.js';
import { validateAgentConfig } from '../governance/decision-tree/agent-config.js';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import type { AgentConfigDto } from '../options/preferences.dto.js';
import { parseMode } from '../options/permission-mode.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import { nameOf } from '../platform/parsing/parse-value.js';
import { addProject, type SessionTerms } from '../project-files/session-terms.js';
import {
  serverToolNames,
  type AgentConfig,
  type PermissionMode,
  type PermissionRules,
  type ProjectFilesKind,
} from '../storage/shapes/stored-options.js';
import { MCP, type Mcp } from '../tools/mcp/mcp.js';
import { ToolRegistry } from '../tools/registry.js';
import type { ProjectFilesChoice } from './claude-projects.js';
import { checkSessionAgents, type GivenAgents } from './session-agents.js';
import { projectOf, ProjectRoots } from './project-roots.js';

/** The mode of a session that neither its request nor its project gives another. */
export const DEFAULT_MODE = 'direct';

/** What a request says of a session that it wants. */
export interface SessionParams {
  /** An id of the client's own. Absent: a new one. */
  sessionId?: string;
  /** Absent: the caller's own folder. */
  projectRoot?: string | undefined;
  persona?: string;
  mode?: string;
  agentConfig?: AgentConfigDto;
  permissions?: unknown;
  mcpServers?: unknown;
  /** Absent: the operator's choice. */
  projectFiles?: ProjectFilesChoice;
  agents?: unknown;
}

/** The terms of a session as it is stored. */
interface CheckedTerms extends SessionTerms {
  agentConfig: Partial<AgentConfig> | null;
  projectFiles: ProjectFilesKind | null;
  agents: GivenAgents | null;
}

/** What a session may do, of its request and of the files of its project. */
@Injectable()
export class SessionTermsChecker {
  constructor(
    @Inject(ToolRegistry) private readonly tools: Pick<ToolRegistry, 'list'>,
    @Inject(MCP) private readonly mcp: Pick<Mcp, 'checkSession'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'modeCeiling'>,
    @Inject(ProjectRoots) private readonly roots: Pick<ProjectRoots, 'open' | 'files'>,
  ) {}

  /**
   * @param projectRoot the folder of the session, checked.
   * @throws TypedError INVALID_REQUEST 400, FORBIDDEN_SCOPE 403.
   */
  async check(
    wanted: SessionParams,
    { caller, projectRoot }: { caller: Principal; projectRoot: string },
  ): Promise<CheckedTerms> {
    const { modeCeiling: ceiling } = this.config;
    checkLoosening(wanted, { caller, ceiling });
    const projectFiles = this.roots.files.choose(wanted.projectFiles);
    const given = {
      permissions: validateRules(wanted.permissions, this.tools),
      mcpServers: validateMcpServers(wanted.mcpServers, this.mcp),
      ...compact({ mode: wanted.mode }),
    };
    const agentConfig = toLimits(wanted.agentConfig);
    const agents = checkSessionAgents(wanted.agents);
    if (projectFiles === null) return { ...given, agentConfig, projectFiles, agents };
    const project = projectOf(await this.roots.open(projectRoot, caller));
    const { value } = await this.roots.files.read(project);
    const isTrusted = await this.roots.files.isTrusted(project);
    const terms = addProject(given, value, { isTrusted, mayAllow: ceiling === 'acceptEdits' });
    return { ...terms, agentConfig, projectFiles, agents };
  }
}

/**
 * Checks what a session allows in advance, which is an approval: the key must have the scope
 * `approvals`, and the operator's ceiling must permit it.
 *
 * @throws TypedError FORBIDDEN_SCOPE 403, INVALID_REQUEST 400.
 */
function checkLoosening(
  { mode, permissions }: SessionParams,
  { caller, ceiling }: { caller: Principal; ceiling: PermissionMode },
): void {
  const given: unknown = isPlainObject(permissions) ? permissions['allow'] : undefined;
  const allows = Array.isArray(given) && given.length > 0;
  if (allows && ceiling !== 'acceptEdits') {
    throw invalidRequest(
      `'permissions.allow' is not allowed on this server, whose TURNPIKE_MODE_CEILING is ${ceiling}: leave it out, and answer when you are asked about a call`,
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
