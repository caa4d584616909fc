import { Injectable } from '@nestjs/common';
import type { OpenSpan } from '../../tracing/open-span.js';
import { attributes, queueAttributes, spanNames } from '../../tracing/span-names.js';
import { Tracing, type SpanStart } from '../../tracing/tracing.js';
import { originOf } from '../attempt/trace-origin.js';
import type { Claim } from '../state/attempt.js';
import type { Lease } from '../state/lease.js';
import { AttemptRunner } from './attempt-runner.js';
import type { WorkerSlot } from './worker-slot.js';

interface AttemptTerms {
  lease: Lease;
  slot: WorkerSlot;
}

/** Runs attempts in their spans: `invoke_agent`, below `process turns` where the turn came over the queue. */
@Injectable()
export class AttemptTracer {
  constructor(
    private readonly tracing: Tracing,
    private readonly runner: AttemptRunner,
  ) {}

  /** Runs one attempt; a subagent's is below the call that delegated to it. */
  async run(claim: Claim, terms: AttemptTerms): Promise<void> {
    const origin = originOf(claim);
    if (claim.parentTurnId !== null) return this.#runAgent(claim, terms, origin);
    const received = this.tracing.start(spanNames.process, {
      ...origin,
      kind: 'consumer',
      attributes: { ...queueAttributes('process'), [attributes.messageId]: claim.id },
      conversation: claim.sessionId,
    });
    try {
      await received.run(() => this.#runAgent(claim, terms, {}));
    } finally {
      received.end();
    }
  }

  async #runAgent(
    claim: Claim,
    terms: AttemptTerms,
    origin: Pick<SpanStart, 'parent' | 'links'>,
  ): Promise<void> {
    const span = this.#startAgent(claim, origin);
    try {
      await span.run(() => this.runner.run(claim, { ...terms, span }));
    } catch (error) {
      // An error that ends an attempt is caught within it: this one is a fault of the server or its database.
      span.fail('_OTHER');
      throw error;
    } finally {
      span.end();
    }
  }

  #startAgent(claim: Claim, origin: Pick<SpanStart, 'parent' | 'links'>): OpenSpan {
    const { persona, model } = claim.options.options;
    return this.tracing.start(spanNames.agent(persona), {
      ...origin,
      kind: 'internal',
      attributes: {
        [attributes.operation]: 'invoke_agent',
        [attributes.provider]: 'anthropic',
        [attributes.agent]: persona,
        [attributes.requestModel]: model,
        [attributes.turn]: claim.id,
        [attributes.attempt]: claim.attempt,
      },
      conversation: claim.sessionId,
    });
  }
}
