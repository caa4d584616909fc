import { createHash } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { CheckedInput } from '../platform/check-input.js';
import type { JsonObject } from '../platform/json.js';
import { CheckLane, type CheckAnswer, type CheckJob } from './check-lane.js';

/** Time that nearly every check needs no more of, and the longest time of one, in ms. */
const QUICK_MS = 100;
const LONGEST_MS = 1_000;
/** Schemas of slow checks that are remembered. */
const MOST_SLOW = 1_000;

/** A check that was ended: it took too long, or too much memory. Its message says which. */
export class CheckStoppedError extends Error {
  override readonly name = 'CheckStoppedError';
}

/**
 * Compiles schemas that others send, and checks values by them, in threads: their patterns would hold the event loop.
 * A check that is not quick is made again in a thread of slow ones, where it waits for those alone.
 */
@Injectable()
export class SchemaChecks implements OnModuleDestroy {
  readonly #quick = new CheckLane();
  readonly #slow = new CheckLane();
  /** Digests of schemas with a check that was not quick. */
  readonly #slowSchemas = new Set<string>();

  /** @throws Error for a schema that cannot be compiled; CheckStoppedError for one that takes too long. */
  async compile(schema: JsonObject): Promise<void> {
    const answer = await this.#ask({ schema: JSON.stringify(schema) });
    if (answer.type === 'invalid') throw new Error(answer.message);
    if (answer.type === 'stopped') throw new CheckStoppedError(answer.message);
  }

  /** @throws CheckStoppedError for a check that takes too long; Error for a schema that cannot be compiled. */
  async check(schema: JsonObject, value: unknown): Promise<CheckedInput> {
    const answer = await this.#ask({ schema: JSON.stringify(schema), value });
    if (answer.type === 'checked') return answer.checked;
    const { message } = answer.type === 'compiled' ? { message: 'it was not made' } : answer;
    throw answer.type === 'invalid' ? new Error(message) : new CheckStoppedError(message);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  async #ask(job: Omit<CheckJob, 'ms'>): Promise<CheckAnswer> {
    const digest = createHash('sha256').update(job.schema).digest('base64');
    if (!this.#slowSchemas.has(digest)) {
      const answer = await this.#quick.ask({ ...job, ms: QUICK_MS });
      if (answer.type !== 'stopped') return answer;
      this.#slowSchemas.add(digest);
      for (const oldest of this.#slowSchemas) {
        if (this.#slowSchemas.size <= MOST_SLOW) break;
        this.#slowSchemas.delete(oldest);
      }
    }
    return this.#slow.ask({ ...job, ms: LONGEST_MS });
  }
}
