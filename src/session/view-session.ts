import { agentConfigToWire } from '../governance/decision-tree/agent-config.js';
import { compact } from '../platform/compact.js';
import type { SessionOrigin } from '../storage/schema.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import type { ForkSource } from '../storage/shapes/stored-turn.js';
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
  /** The wire that created it, or `schedules`; absent: this one. */
  origin?: SessionOrigin;
  createdAt: string;
  updatedAt: string;
  /** The title that its user gave it; absent: none. */
  title?: string;
  claudeSessionId?: string;
  bootFingerprint?: string;
  bootedAt?: string;
  model?: string;
  /** Limits of its turns; absent: none of its own. */
  agentConfig?: Record<string, number>;
  /** Rules for its tools; absent: none of its own. */
  permissions?: PermissionRules;
  /** The turn of another session that its history ends with, or before. Absent: it began empty. */
  forkedFrom?: ForkPoint;
  /** The turn that its turn is a replay of: it takes no other turns. Absent: it is no replay. */
  replayOf?: string;
}

export type ForkPoint = Omit<ForkSource, 'written'>;

/** The session may be gone: its fork has a history of its own. */
function viewForkPoint(origin: ForkSource | null): { forkedFrom?: ForkPoint } {
  if (origin === null) return {};
  const { sessionId, turnId, position } = origin;
  return { forkedFrom: { sessionId, turnId, position } };
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
    ...compact({
      title: row.title ?? undefined,
      claudeSessionId: row.claudeSessionId ?? undefined,
      bootFingerprint: row.bootFingerprint ?? undefined,
      bootedAt: row.bootedAt?.toISOString(),
      model: row.model ?? undefined,
      agentConfig: row.agentConfig === null ? undefined : agentConfigToWire(row.agentConfig),
      permissions: row.permissions ?? undefined,
      replayOf: row.replayOf ?? undefined,
    }),
    ...viewForkPoint(row.forkedFrom),
  };
}

/** A session in a list of all: `GET /api/harness/sessions`. */
export interface ListedSession {
  sessionId: string;
  projectRoot: string;
  persona: string;
  mode: string;
  /** The wire that created it, or `schedules`; absent: this one. */
  origin?: SessionOrigin;
  /** As its user called it, or the beginning of the first message; absent where that has no text, or there is none. */
  title?: string;
  createdAt: string;
  /** Time of its last use. */
  updatedAt: string;
  /** The turn that is queued, runs, or waits for people. */
  activeTurnId?: string;
  /** As in `SessionRecord`. */
  forkedFrom?: ForkPoint;
}

export function viewPagedSession(row: PagedSession): ListedSession {
  const title = row.title ?? sessionTitle(row.firstRequest);
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
    ...viewForkPoint(row.forkedFrom),
  };
}
