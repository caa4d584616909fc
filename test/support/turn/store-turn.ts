import { freeLimits } from '../../../src/options/resolve-limits.js';
import { newId } from '../../../src/platform/ids.js';
import type { Database } from '../../../src/storage/connection.js';
import { unendedStatuses } from '../../../src/storage/shapes/stored-turn.js';
import { sessions, turns } from '../../../src/storage/schema.js';
import type { OptionResolution } from '../../../src/storage/shapes/stored-options.js';

type TurnInsert = typeof turns.$inferInsert;

export const someLimits = freeLimits({ turnTimeoutMs: 600_000 });

export const someOptions: OptionResolution = {
  options: {
    model: 'claude-sonnet-5-5',
    tools: ['read'],
    maxTurns: 12,
    persona: 'WORKING_ITEMS',
    mode: 'direct',
    onDisconnect: 'continue',
    onBusy: 'reject',
    priority: 'normal',
    thinking: false,
    citations: false,
    attachmentsAs: 'native',
    agentConfig: someLimits,
  },
  provenance: {
    model: 'default',
    tools: 'default',
    maxTurns: 'default',
    persona: 'session',
    mode: 'session',
    onDisconnect: 'opts',
    onBusy: 'default',
    priority: 'default',
    thinking: 'default',
    citations: 'default',
    attachmentsAs: 'default',
    fallbackModel: 'default',
    fallbackModels: 'default',
    maxTokens: 'default',
    output: 'default',
    agentConfig: {
      maxIterations: 'default',
      softWarningPercent: 'default',
      tokenBudget: 'default',
      tokenWarningPercent: 'default',
      timeoutSeconds: 'default',
      maxToolCallsPerTurn: 'default',
      maxParallelTools: 'default',
    },
    subagentGovernance: 'default',
  },
  problems: [],
};

export async function storeSession(db: Database): Promise<string> {
  const id = newId('sess');
  const now = new Date();
  const rest = { projectRoot: '/tmp', persona: 'WORKING_ITEMS', mode: 'direct' };
  await db.insert(sessions).values({ id, ...rest, createdAt: now, updatedAt: now });
  return id;
}

/**
 * Stores a running turn in a session of its own, at attempt 1. A turn with a final status ended when it
 * was made. @returns its id
 */
export async function storeTurn(db: Database, more: Partial<TurnInsert> = {}): Promise<string> {
  const id = newId('turn');
  const { status = 'running', createdAt = new Date() } = more;
  const isEnded = !unendedStatuses.some((unended) => unended === status);
  await db.insert(turns).values({
    id,
    sessionId: more.sessionId ?? (await storeSession(db)),
    status,
    attempt: 1,
    request: { message: 'Hello', opts: undefined, attachments: [], rejectedAttachments: [] },
    requestHash: 'hash',
    options: someOptions,
    createdAt,
    endedAt: isEnded ? createdAt : null,
    ...more,
  });
  return id;
}
