import { agentConfigToWire } from '../governance/agent-config.js';
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
  };
}
