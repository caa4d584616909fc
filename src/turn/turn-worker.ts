import { untilAborted } from '../platform/abort.js';
import { announceAttempt } from './announce-attempt.js';
import { closeLog } from './close-log.js';
import { endTurn } from './end-turn.js';
import { endingOf } from './ending-of.js';
import { equipRun } from './equip-run.js';
import { holdFiles } from './hold-files.js';
import { keepLease } from './keep-lease.js';
import { Lease } from './lease.js';
import { openAttempt } from './open-attempt.js';
import { runTurn } from './run-turn.js';
import type { Claim } from './turn-claims.js';
import type { Attempt, TurnRun } from './turn-run.js';
import type { TurnServices } from './turn-services.js';

/** How long a turn's tools may take to close. */
const CLOSE_WAIT_MS = 5_000;

interface Running {
  lease: Lease;
  beat(): Promise<void>;
}

/** Takes turns from the queue and brings each to its end, or leaves it to whoever owns it. */
export class TurnWorker {
  readonly #running = new Map<string, Running>();
  #stopListening = (): void => undefined;
  #stopping = false;

  constructor(private readonly services: TurnServices) {}

  async start(): Promise<void> {
    const { queue, bus } = this.services;
    // Hints to look now; whose the turn is and what was asked is read from the database.
    const look = (turnId: string): void => void this.#running.get(turnId)?.beat();
    this.#stopListening = await bus.onCancel(look);
    await queue.consume({ handle: (turnId) => this.#work(turnId), onDoubt: look });
  }

  /** Takes nothing more, gives running turns `drainMs` to end, and hands back the rest. */
  async stop(): Promise<void> {
    const { queue, clock, settings } = this.services;
    this.#stopping = true;
    const cancelTimer = clock.after(settings.drainMs, () => {
      for (const { lease } of this.#running.values()) lease.end('shutdown');
    });
    await queue.close();
    cancelTimer();
    this.#stopListening();
  }

  async #work(turnId: string): Promise<void> {
    if (this.#stopping) return;
    const { claims, clock, settings, logger } = this.services;
    const lease = new Lease();
    let isHinted = false;
    this.#running.set(turnId, { lease, beat: async () => void (isHinted = true) });
    const claim = await claims
      .claim(turnId, new Date(clock.now()))
      .finally(() => this.#running.delete(turnId));
    if (claim === undefined) return;
    const { sessionId, attempt } = claim;
    const log = logger.child({ turnId, sessionId, attempt });
    const heartbeat = keepLease({
      claims,
      claim,
      lease,
      clock,
      leaseMs: settings.leaseMs,
      onError: (error) => log.warn({ error }, 'the lease could not be extended'),
    });
    this.#running.set(turnId, { lease, beat: heartbeat.beat });
    // A hint that came while the turn was claimed may tell what the claim did not see.
    if (isHinted) void heartbeat.beat();
    try {
      await this.#runAttempt({ ...this.services, logger: log }, claim, lease);
    } finally {
      heartbeat.stop();
      this.#running.delete(turnId);
      if (lease.reason === 'shutdown') await claims.release(claim);
    }
  }

  async #runAttempt(services: TurnServices, claim: Claim, lease: Lease): Promise<void> {
    const { clock, settings, logger } = services;
    const { attempt, earlier } = await openAttempt(services, claim, lease);
    logger.info({ model: attempt.turn.options.options.model }, 'turn started');
    const elapsedMs = clock.now() - (attempt.turn.startedAt ?? attempt.turn.createdAt).getTime();
    const { timeoutSeconds } = attempt.tree.getConfig();
    const timeoutMs = Math.min(settings.turnTimeoutMs, timeoutSeconds * 1_000);
    const cancelDeadline = clock.after(Math.max(0, timeoutMs - elapsedMs), () =>
      lease.end('deadline'),
    );
    let run: TurnRun | undefined;
    let release = (): void => undefined;
    let isOver = false;
    // Asked for while it waited.
    if (claim.cancelReason !== null) lease.end(claim.cancelReason);
    try {
      const announced = announceAttempt(services, attempt, earlier.length > 0);
      // Nobody hears of anything before it is stored, but the model can begin. Awaited below.
      announced.catch(() => undefined);
      release = await holdFiles(services, attempt, earlier);
      run = await equipRun(services, attempt, { ...claim, earlier });
      const ending = await runTurn(run);
      await announced;
      await endTurn(attempt, ending);
      isOver = true;
      logger.info({ outcome: ending.outcome, reason: ending.reason }, 'turn ended');
    } catch (error) {
      isOver = await this.#endThrown(services, attempt, error);
    } finally {
      cancelDeadline();
      lease.end('finished');
      release();
      await this.#closeTools(run);
      // The log of a turn that goes on belongs to its next attempt.
      if (isOver) await closeLog(services, attempt);
    }
  }

  /** A tool that does not close must not keep the worker's place. */
  async #closeTools(run: TurnRun | undefined): Promise<void> {
    if (run === undefined) return;
    const { clock, logger } = this.services;
    const patience = new AbortController();
    const late = new Error(`not closed after ${CLOSE_WAIT_MS} ms`);
    const cancelTimer = clock.after(CLOSE_WAIT_MS, () => patience.abort(late));
    try {
      await untilAborted(run.tools.close(), patience.signal);
    } catch (error) {
      logger.warn({ turnId: run.turn.id, error }, 'a tool did not close');
    } finally {
      cancelTimer();
    }
  }

  /** @returns whether the turn has ended. */
  async #endThrown(services: TurnServices, attempt: Attempt, thrown: unknown): Promise<boolean> {
    const { logger } = services;
    const fate = endingOf(thrown, attempt.lease.reason);
    if (fate.type === 'leave') {
      logger.info({ lease: attempt.lease.reason }, 'turn left to its next attempt');
      return false;
    }
    if (fate.fault !== undefined) logger.error({ error: fate.fault }, 'the loop failed');
    await endTurn(attempt, fate.ending, fate.failure);
    const { outcome, reason } = fate.ending;
    logger.info({ outcome, reason, failure: fate.failure?.message }, 'turn ended');
    return true;
  }
}
