import { withDeadline } from '../../platform/with-deadline.js';
import { untilAborted } from '../../platform/abort.js';
import { attemptParts } from '../attempt/attempt-parts.js';
import { delegate } from '../subagents/delegator.js';
import { exhaustionOf } from '../attempt/attempts-in-vain.js';
import { chooseFairly } from '../queue/choose-fairly.js';
import { claimFairly, type WakeUp } from '../queue/claim-fairly.js';
import { Deadline } from '../state/deadline.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { classifyFailure } from '../attempt/classify-failure.js';
import { FairChoice } from '../queue/fair-choice.js';
import { keepLease } from './keep-lease.js';
import { Lease } from '../state/lease.js';
import { Recoveries } from './recoveries.js';
import { cancelChildren } from '../subagents/subagent-canceller.js';
import { WorkerSlot, WorkerSlots } from './worker-slot.js';
import { runTurn } from '../loop/run-turn.js';
import { RunningTurns } from './running-turns.js';
import type { Claim } from '../queue/turn-claims.js';
import type { Attempt, TurnRun } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/** How long a turn's tools may take to close. */
const CLOSE_WAIT_MS = 5_000;

interface Claimed {
  claim: Claim;
  lease: Lease;
  /** A hint came while the turn was claimed: it may tell what the claim did not see. */
  isHinted: boolean;
}

/** Takes turns from the queue and brings each to its end, or leaves it to whoever owns it. */
export class TurnWorker {
  readonly #running = new RunningTurns();
  readonly #choice: FairChoice;
  readonly #slots: WorkerSlots;
  readonly #recoveries: Recoveries;
  /** Turns that go on though the queue has its slot back. */
  readonly #away = new Set<Promise<void>>();
  #stopListening = (): void => undefined;
  #stopping = false;

  constructor(private readonly services: TurnServices) {
    this.#recoveries = new Recoveries(services.settings.mostAttemptsInVain);
    this.#slots = new WorkerSlots(services.settings.workerConcurrency);
    this.#choice = new FairChoice((choice) => chooseFairly(services.db, choice));
  }

  async start(): Promise<void> {
    const { queue, bus } = this.services;
    // Hints to look now; whose the turn is and what was asked is read from the database.
    const look = (turnId: string): void => this.#running.beat(turnId);
    this.#stopListening = await bus.onCancel(look);
    await queue.consume({
      handle: (turnId, isRecovered) => this.#take({ turnId, isRecovered }),
      onDoubt: look,
    });
  }

  /** Takes nothing more, gives running turns `drainMs` to end, and hands back the rest. */
  async stop(): Promise<void> {
    const { queue, clock, settings } = this.services;
    this.#stopping = true;
    const cancelTimer = clock.after(settings.drainMs, () => this.#running.endAll('shutdown'));
    await queue.close();
    await Promise.all(this.#away);
    cancelTimer();
    this.#stopListening();
  }

  /** Resolves when the turn is done with, or has given its slot away: it goes on beside others then. */
  async #take(wakeUp: WakeUp): Promise<void> {
    const slot = new WorkerSlot(this.#slots);
    await slot.take();
    const done = this.#work(wakeUp, slot).finally(() => slot.leave());
    const isDone = await Promise.race([done.then(() => true), slot.givenAway.then(() => false)]);
    if (isDone) return;
    const away = done.catch((error: unknown) =>
      this.services.logger.error({ wakeUp, error }, 'a turn could not be worked on'),
    );
    this.#away.add(away);
    void away.finally(() => this.#away.delete(away));
  }

  async #work(wakeUp: WakeUp, slot: WorkerSlot): Promise<void> {
    const { claims, clock, settings, logger } = this.services;
    const claimed = await claimFairly(wakeUp, {
      now: clock.now(),
      choice: this.#choice,
      claim: (turnId) => this.#claim(turnId),
    });
    if (claimed === undefined) return;
    const { claim, lease, isHinted } = claimed;
    const recovered = this.#recoveries.begin(claim);
    if (recovered === undefined) return claims.postpone(claim);
    lease.onProgress = recovered;
    const { id: turnId } = claim;
    const { sessionId, attempt } = claim;
    const { requestId } = claim.request;
    const log = logger.child({
      turnId,
      sessionId,
      attempt,
      ...(requestId === undefined ? {} : { requestId }),
    });
    const heartbeat = keepLease({
      claims,
      claim,
      lease,
      clock,
      leaseMs: settings.leaseMs,
      onError: (error) => log.warn({ error }, 'the lease could not be extended'),
    });
    // A doubt about the wake-up's job is one about the turn it was used for.
    const ids = [turnId, wakeUp.turnId];
    const remove = this.#running.add(ids, { lease, beat: heartbeat.beat });
    if (isHinted) void heartbeat.beat();
    try {
      await this.#runAttempt({ ...this.services, logger: log }, claim, { lease, slot });
    } finally {
      heartbeat.stop();
      recovered();
      remove();
      if (lease.reason === 'shutdown') await claims.release(claim);
    }
  }

  async #claim(turnId: string): Promise<Claimed | undefined> {
    if (this.#stopping) return undefined;
    const { claims, clock } = this.services;
    const lease = new Lease();
    let isHinted = false;
    const remove = this.#running.add([turnId], {
      lease,
      beat: async () => void (isHinted = true),
    });
    const claim = await claims.claim(turnId, new Date(clock.now())).finally(remove);
    return claim && { claim, lease, isHinted };
  }

  async #runAttempt(
    services: TurnServices,
    claim: Claim,
    { lease, slot }: { lease: Lease; slot: WorkerSlot },
  ): Promise<void> {
    const { clock, settings, logger } = services;
    const { opener, announcer, files, builder } = attemptParts(this.services);
    const { attempt, earlier } = await opener.open(claim, lease);
    logger.info({ model: attempt.turn.options.options.model }, 'turn started');
    const elapsedMs = clock.now() - attempt.startedAt.getTime();
    const { timeoutSeconds } = attempt.tree.getConfig();
    const timeoutMs = Math.min(settings.turnTimeoutMs, timeoutSeconds * 1_000);
    const deadline = new Deadline(clock, timeoutMs - elapsedMs, () => lease.end('deadline'));
    const withoutSlot: TurnRun['withoutSlot'] = (wait) => slot.without(wait);
    let run: TurnRun | undefined;
    let release = (): void => undefined;
    let isOver = false;
    let hasNext = false;
    // Asked for while it waited.
    if (claim.cancelReason !== null) lease.end(claim.cancelReason);
    try {
      const announced = announcer.announce(attempt, earlier.length > 0);
      // Nobody hears of anything before it is stored, but the model can begin. Awaited below.
      announced.catch(() => undefined);
      const exhaustion = exhaustionOf(claim, settings.mostAttemptsInVain);
      if (exhaustion !== undefined) {
        await announced;
        throw exhaustion;
      }
      const { compaction } = claim;
      release = await files.prepare(attempt, { earlier, compaction, withoutSlot });
      run = await builder.build(attempt, {
        ...claim,
        earlier,
        terms: { deadline, withoutSlot },
        delegate: (of, work) => delegate(services, of, work),
      });
      const done = await this.#runToEnd(run, announced);
      if (done === 'parked') return await services.logs.flush(attempt);
      isOver = true;
      hasNext = done.hasNext;
    } catch (error) {
      const thrown = await this.#endThrown(services, attempt, { thrown: error, withoutSlot });
      isOver = thrown !== 'left';
      hasNext = thrown !== 'left' && thrown.hasNext;
    } finally {
      deadline.stop();
      lease.end('finished');
      release();
      await this.#closeTools(run);
      // The log of a turn that goes on belongs to its next attempt.
      if (isOver) {
        // Whoever waits behind it need not wait for its readers.
        if (hasNext) await this.#letNextGo(claim.sessionId);
        await services.logs.close(attempt);
      }
    }
  }

  /** Runs the loop until the turn has ended, or waits for people. */
  async #runToEnd(
    run: TurnRun,
    announced: Promise<void>,
  ): Promise<'parked' | { hasNext: boolean }> {
    for (;;) {
      const ending = await runTurn(run);
      await announced;
      if (ending === 'parked') {
        run.logger.info({}, 'turn waits for an approval');
        return 'parked';
      }
      // One whose call failed here may go on elsewhere.
      await cancelChildren(this.services, run, run.withoutSlot);
      const stored = await endTurn(run, ending);
      const { outcome, reason } = ending;
      if (stored.type === 'stored') {
        run.logger.info({ outcome, reason }, 'turn ended');
        return stored;
      }
      run.lease.joined = stored.steered;
    }
  }

  /** What could not be let go now, the sweeper lets go. */
  async #letNextGo(sessionId: string): Promise<void> {
    try {
      await this.services.promoter.promoteNext(sessionId);
    } catch (error) {
      this.services.logger.warn({ sessionId, error }, 'a held turn was not let go');
    }
  }

  /** A tool that does not close must not keep the worker's slot. */
  async #closeTools(run: TurnRun | undefined): Promise<void> {
    if (run === undefined) return;
    const { clock, logger } = this.services;
    const limit = { ms: CLOSE_WAIT_MS, reason: new Error(`not closed after ${CLOSE_WAIT_MS} ms`) };
    try {
      await withDeadline(clock, limit, (signal) => untilAborted(closeTools(run), signal));
    } catch (error) {
      logger.warn({ turnId: run.turn.id, error }, 'a tool did not close');
    }
  }

  async #endThrown(
    services: TurnServices,
    attempt: Attempt,
    { thrown, withoutSlot }: { thrown: unknown; withoutSlot: TurnRun['withoutSlot'] },
  ): Promise<'left' | { hasNext: boolean }> {
    const { logger } = services;
    const fate = classifyFailure(thrown, attempt.lease.reason);
    if (fate.type === 'leave') {
      logger.info({ lease: attempt.lease.reason }, 'turn left to its next attempt');
      return 'left';
    }
    if (fate.fault !== undefined) logger.error({ error: fate.fault }, 'the loop failed');
    attempt.writer.reopen();
    await cancelChildren(services, attempt, withoutSlot);
    try {
      const ended = await endTurn(attempt, fate.ending, fate.failure);
      const { outcome, reason } = fate.ending;
      logger.info({ outcome, reason, failure: fate.failure?.message }, 'turn ended');
      return { hasNext: ended.type === 'stored' && ended.hasNext };
    } catch (error) {
      // The turn was taken over, or the database went away, after the lease had its reason.
      if (classifyFailure(error, undefined).type !== 'leave') throw error;
      logger.info({ error }, 'the end could not be stored: turn left to its next attempt');
      return 'left';
    }
  }
}

/** What they are reached through is given back whatever a tool does. */
async function closeTools({ tools, closeTools: giveBack }: TurnRun): Promise<void> {
  try {
    await tools.close();
  } finally {
    await giveBack();
  }
}
