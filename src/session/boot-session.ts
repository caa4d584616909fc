import { createHash } from 'node:crypto';
import type { PersonaLibrary } from '../agents/load-persona.js';
import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import { loadOptions } from '../options/load-options.js';
import type { PermissionMode } from '../options/permission-mode.js';
import type { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { retryAdvice } from '../platform/retry-advice.js';
import { TypedError } from '../platform/typed-error.js';
import type { ModelResolver } from '../provider/models/model-resolver.js';
import type { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import type { ProjectRoots, RootUser } from './project-roots.js';
import type { SessionStore } from './session-store.js';
import { viewSession, type SessionRecord } from './view-session.js';

export interface BootDeps {
  sessions: SessionStore;
  personas: PersonaLibrary;
  provider: Pick<AnthropicProvider, 'checkModel'>;
  models: Pick<ModelResolver, 'resolve'>;
  clock: Clock;
  projectRoots: Pick<ProjectRoots, 'check'>;
  /** Model of turns that name none, from the environment. */
  environmentModel: string | undefined;
  /** Limits of turns that nobody limits. */
  defaultLimits: Readonly<AgentConfig>;
  /** The loosest mode of any turn. Absent: any. */
  modeCeiling?: PermissionMode;
}

export interface BootReport {
  session: SessionRecord;
  boot: { claudeSessionId: string; bootFingerprint: string; bootedAt: string };
}

/**
 * Checks everything a turn will need: root, instruction root, persona, key, and that the provider
 * knows the model. Costs no completion, may be repeated, and stores nothing when it fails.
 */
export async function bootSession(
  deps: BootDeps,
  { sessionId, opts, user }: { sessionId: string; opts: unknown; user: RootUser },
): Promise<BootReport> {
  const session = await deps.sessions.get(sessionId);
  await deps.projectRoots.check(session.projectRoot, user);
  const { resolution } = await orBootFailure(() => loadOptions(deps, session, opts));
  const { persona, mode, model } = resolution.options;
  await orBootFailure(() => deps.provider.checkModel(model));
  const bootFingerprint = createHash('sha256')
    .update(`${persona}::${mode}`)
    .digest('hex')
    .slice(0, 32);
  const claudeSessionId = session.claudeSessionId ?? newId('claude');
  const bootedAt = new Date(deps.clock.now());
  const facts = { claudeSessionId, bootFingerprint, bootedAt, model };
  const booted = await deps.sessions.update(sessionId, facts);
  return {
    session: viewSession(booted),
    boot: { claudeSessionId, bootFingerprint, bootedAt: bootedAt.toISOString() },
  };
}

/**
 * A provider's refusal, or one that is known beforehand, as the contract's boot tells it. A missing
 * key stays what it is (503).
 */
async function orBootFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = error instanceof TypedError && error.type === 'SDK_FAILURE';
    if (!isRefusal || error.status === 503) throw error;
    throw new TypedError('SDK_FAILURE', {
      status: 500,
      message: `Boot turn failed before completion: ${error.message}`,
      details: { ...(error.details as object | undefined), exitCode: 1 },
      ...retryAdvice(error),
      cause: error,
    });
  }
}
