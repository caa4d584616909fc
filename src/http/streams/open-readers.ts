import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { CONFIG, type Config } from '../../config/config.js';
import { TypedError } from '../../errors/typed-error.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LoopShare } from '../../platform/async/batcher.js';
import { recordOf } from '../request-record.js';

/** Readers that begin in one cycle of the event loop: each takes up to a millisecond. */
const BEGIN_AT_ONCE = 16;

interface OpenReader {
  principal: string;
  /** In ms since the epoch. */
  openedAt: number;
  /** Ends what is read before its end. */
  end: () => void;
}

/**
 * The readers of this process: answers that are streams, and those that wait for the end of a turn. Bounds how many are
 * open, for each principal and in all, and how many begin at once.
 */
@Injectable()
export class OpenReaders {
  readonly #share = new LoopShare(BEGIN_AT_ONCE);
  readonly #counts = new Map<string, number>();
  #all = 0;
  readonly #open = new Map<ServerResponse, OpenReader>();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'readers' | 'readersPerPrincipal'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Closes all open connections, as a process that ends does: their clients go on elsewhere. */
  endAll(): void {
    for (const response of this.#open.keys()) response.destroy();
  }

  /**
   * Counts a reader until its response is closed.
   *
   * @throws TypedError TOO_MANY_READERS, 429 for a principal with as many as it may have, 503 for such a process.
   */
  open(response: ServerResponse): void {
    if (response.destroyed) return;
    const principal = recordOf(response.req)?.principal ?? '';
    const count = this.#counts.get(principal) ?? 0;
    const { readers, readersPerPrincipal } = this.config;
    if (count >= readersPerPrincipal) throw tooManyOfPrincipal(readersPerPrincipal);
    if (this.#all >= readers) throw tooManyOfProcess(readers);
    this.#all += 1;
    this.#counts.set(principal, count + 1);
    const openedAt = this.clock.now();
    this.#open.set(response, { principal, openedAt, end: () => response.destroy() });
    response.once('close', () => {
      this.#all -= 1;
      this.#open.delete(response);
      const left = (this.#counts.get(principal) ?? 0) - 1;
      if (left > 0) this.#counts.set(principal, left);
      else this.#counts.delete(principal);
    });
  }

  /** How many are open. */
  get count(): number {
    return this.#all;
  }

  /** Says how a reader is ended before its end, in place of a cut connection. It does nothing to one that has left. */
  endBy(response: ServerResponse, end: () => void): void {
    const reader = this.#open.get(response);
    if (reader !== undefined) reader.end = end;
  }

  /**
   * Closes readers in the middle of what they read. Those of a stream get a last frame that says why; to those that wait
   * for an answer, their next request says it.
   *
   * @param isEnded whether the principal of a reader that opened at a time may read no more, in ms since the epoch.
   * @returns how many were closed.
   */
  close(isEnded: (principal: string, openedAt: number) => boolean): number {
    const ended = [...this.#open.values()].filter((of) => isEnded(of.principal, of.openedAt));
    for (const { end } of ended) end();
    return ended.length;
  }

  /** Resolves when the next reader may begin: thousands that come at once would hold the event loop for seconds. */
  mayBegin(): Promise<void> {
    return this.#share.next();
  }
}

function tooManyOfPrincipal(limit: number): TypedError {
  return new TypedError('TOO_MANY_READERS', {
    message: `You are reading ${limit} streams or answers of this process already, which is the limit (TURNPIKE_READERS_PER_PRINCIPAL). Close one, or send this request again in a few seconds; nothing was stored.`,
    details: { limit, of: 'principal' },
  });
}

function tooManyOfProcess(limit: number): TypedError {
  return new TypedError('TOO_MANY_READERS', {
    message: `${limit} streams or answers of this process are being read already, which is the limit (TURNPIKE_READERS). Send this request again in a few seconds, to another process if there is one; nothing was stored.`,
    details: { limit, of: 'process' },
    case: 'process',
  });
}
