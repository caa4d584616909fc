import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isTypedError, TypedError } from '../errors/typed-error.js';
import { OptionLoader } from '../options/option-loader.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { retryAdvice } from '../platform/retry-advice.js';
import { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import { ProjectRoots, type RootUser } from './project-roots.js';
import { SessionStore } from './session-store.js';
import { viewSession, type SessionRecord } from './view-session.js';

export interface BootReport {
  session: SessionRecord;
  boot: { claudeSessionId: string; bootFingerprint: string; bootedAt: string };
}

/** Finds out whether a session's turns would run. */
@Injectable()
export class SessionBooter {
  constructor(
    private readonly sessions: SessionStore,
    private readonly projectRoots: ProjectRoots,
    private readonly options: OptionLoader,
    private readonly provider: AnthropicProvider,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Checks everything a turn will need: root, instruction root, persona, key, and that the provider
   * knows the model. Costs no completion, may be repeated, and stores nothing when it fails.
   */
  async boot(sessionId: string, opts: unknown, user: RootUser): Promise<BootReport> {
    const session = await this.sessions.get(sessionId);
    await this.projectRoots.check(session.projectRoot, user);
    const { resolution } = await orBootFailure(() => this.options.load(session, opts));
    const { persona, mode, model } = resolution.options;
    await orBootFailure(() => this.provider.checkModel(model));
    const bootFingerprint = createHash('sha256')
      .update(`${persona}::${mode}`)
      .digest('hex')
      .slice(0, 32);
    const claudeSessionId = session.claudeSessionId ?? newId('claude');
    const bootedAt = new Date(this.clock.now());
    const facts = { claudeSessionId, bootFingerprint, bootedAt, model };
    const booted = await this.sessions.update(sessionId, facts);
    return {
      session: viewSession(booted),
      boot: { claudeSessionId, bootFingerprint, bootedAt: bootedAt.toISOString() },
    };
  }
}

/**
 * A provider's refusal, or one that is known beforehand, as the contract has it for a boot. A missing
 * key keeps its status (503).
 */
async function orBootFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTypedError(error, 'SDK_FAILURE') || error.status === 503) throw error;
    throw new TypedError('SDK_FAILURE', {
      message: `Boot turn failed before completion: ${error.message}`,
      details: { ...(error.details as object | undefined), exitCode: 1 },
      relayed: { status: 500, ...retryAdvice(error) },
      cause: error,
    });
  }
}
