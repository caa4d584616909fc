import { agentConfigToWire } from '../governance/agent-config.js';
import type { PermissionRules } from '../governance/permission-rules.js';
import type { SessionRow } from './session-store.js';

/** `SessionRecord` of the contract: absent fields are left out, times are ISO-8601. */
export interface SessionRecord {
  sessionId: string;
  projectRoot: string;
  persona: string;
  mode: string;
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
