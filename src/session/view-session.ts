import { agentConfigToWire } from '../governance/decision-tree/agent-config.js';
import type { PermissionRules } from '../storage/shapes/stored-permissions.js';
import type { SessionOrigin } from '../storage/schema.js';
import type { PagedSession } from './page-sessions.js';
import type { SessionRow } from './session-store.js';
import { sessionTitle } from './session-title.js';

/** `SessionRecord` of the contract: absent fields are left out, times are ISO-8601. */
export interface SessionRecord {
  sessionId: string;
  projectRoot: string;
  persona: string;
  /** The permission mode of its turns that name none. */
  mode: string;
  /** The wire that made it; absent: this one. */
  origin?: SessionOrigin;
  createdAt: string;
  updatedAt: string;
  claudeSessionId?: string;
  bootFingerprint?: string;
  bootedAt?: string;
  model?: string;
  /** Limits of its turns, where it was made with some. */
  agentConfig?: Record<string, number>;
  /** Rules for its tools, where it was made with some. */
  permissions?: PermissionRules;
}

export function viewSession(row: SessionRow): SessionRecord {
  return {
    sessionId: row.id,
    projectRoot: row.projectRoot,
    persona: row.persona,
    mode: row.mode,
    ...(row.origin === 'harness' ? {} : { origin: row.origin }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.claudeSessionId === null ? {} : { claudeSessionId: row.claudeSessionId }),
    ...(row.bootFingerprint === null ? {} : { bootFingerprint: row.bootFingerprint }),
    ...(row.bootedAt === null ? {} : { bootedAt: row.bootedAt.toISOString() }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.agentConfig === null ? {} : { agentConfig: agentConfigToWire(row.agentConfig) }),
    ...(row.permissions === null ? {} : { permissions: row.permissions }),
  };
}

/** A session in a list of all: `GET /api/harness/sessions`. */
export interface ListedSession {
  sessionId: string;
  projectRoot: string;
  persona: string;
  mode: string;
  /** The wire that made it; absent: this one. */
  origin?: SessionOrigin;
  /** The beginning of what was said first; absent where that was no text, or nothing was said. */
  title?: string;
  createdAt: string;
  /** When it was used last. */
  updatedAt: string;
  /** Of a turn that is queued, runs, or waits for people. */
  activeTurnId?: string;
}

export function viewPagedSession(row: PagedSession): ListedSession {
  const title = sessionTitle(row.firstRequest);
  return {
    sessionId: row.id,
    projectRoot: row.projectRoot,
    persona: row.persona,
    mode: row.mode,
    ...(row.origin === 'harness' ? {} : { origin: row.origin }),
    ...(title === undefined ? {} : { title }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.activeTurnId === null ? {} : { activeTurnId: row.activeTurnId }),
  };
}
