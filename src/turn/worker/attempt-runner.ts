import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { settlesWithin } from '../../platform/async/settles-within.js';
import { AttemptAnnouncer } from '../attempt/attempt-announcer.js';
import { AttemptFiles } from '../attempt/attempt-files.js';
import { AttemptOpener } from '../attempt/attempt-opener.js';
import { isExhausted } from '../queue/attempts-in-vain.js';
import { RunContextBuilder } from '../attempt/run-context-builder.js';
import { LogFlusher } from '../lifecycle/log-flusher.js';
import { runTurn } from '../loop/run-turn.js';
import type { Claim, Attempt } from '../state/attempt.js';
import { attemptsExhausted } from '../state/turn-errors.js';
import { Deadline, type Lease } from '../state/lease.js';
import type { OpenSpan } from '../../tracing/open-span.js';
import { attributes } from '../../tracing/span-names.js';
import type { TurnRun } from '../state/turn-run.js';
import type { WithoutSlot } from '../state/worker-terms.js';
import { Delegator } from '../subagents/delegator.js';
import { AttemptEnder } from './attempt-ender.js';
import type { WorkerSlot } from './worker-slot.js';

/** Longest time that a turn's tools may take to close, in ms. */
const CLOSE_WAIT_MS = 5_000;

interface AttemptTerms {
  lease: Lease;
  slot: WorkerSlot;
  span: OpenSpan;
}

/** Runs attempts at claimed turns. */
@Injectable()
export class AttemptRunner {
  constructor(
    private readonly opener: AttemptOpener,
    private readonly announcer: AttemptAnnouncer,
    private readonly files: AttemptFiles,
    private readonly builder: RunContextBuilder,
    private readonly delegator: Delegator,
    private readonly ender: AttemptEnder,
    private readonly logs: LogFlusher,
    @Inject(CONFIG) private readonly config: Pick<Config, 'turnTimeoutMs' | 'mostAttempts'>,
  ) {}

  /** Runs one attempt until the turn has ended, is parked, or is left to its next attempt. */
  async run(claim: Claim, { lease, slot, span }: AttemptTerms): Promise<void> {
    const { attempt, earlier } = await this.opener.open(claim, lease, span);
    attempt.logger.info({ model: attempt.turn.options.options.model }, 'turn started');
    const deadline = this.#startDeadline(attempt);
    const withoutSlot: WithoutSlot = (wait) => slot.without(wait);
    let run: TurnRun | undefined;
    let releaseMemory = (): void => undefined;
    let end: { hasNext: boolean } | undefined;
    // The end was asked for while the turn was queued.
    if (claim.cancelReason !== null) lease.end(claim.cancelReason);
    try {
      const announced = this.announcer.announce(attempt, earlier.length > 0);
      // The model may begin before the events are stored, which readers see them after. Awaited below.
      announced.catch(() => undefined);
      // The statement of these events goes out first: the database is at work while the request is built.
      await nextTurn();
      const { mostAttempts } = this.config;
      if (isExhausted(claim, mostAttempts)) {
        await announced;
        throw attemptsExhausted(claim.id, mostAttempts);
      }
      const { todos, compaction } = claim;
      releaseMemory = await this.files.prepare(attempt, { earlier, compaction, withoutSlot });
      run = await this.builder.build(attempt, {
        earlier,
        todos,
        compaction,
        terms: { deadline, withoutSlot },
        delegate: (parent, work) => this.delegator.delegate(parent, work),
      });
      const done = await this.#runToEnd(run, announced);
      if (done === 'parked') return await this.logs.flush(attempt);
      end = done;
    } catch (error) {
      const thrown = await this.ender.endThrown(attempt, error, withoutSlot);
      if (thrown !== 'left') end = thrown;
    } finally {
      deadline.stop();
      lease.end('finished');
      releaseMemory();
      if (run !== undefined) await closeTools(run);
      // The log of a turn that goes on belongs to its next attempt.
      if (end !== undefined) await this.ender.close(attempt, end);
    }
  }

  #startDeadline({ clock, startedAt, tree, lease }: Attempt): Deadline {
    const elapsedMs = clock.now() - startedAt.getTime();
    const { timeoutSeconds } = tree.getConfig();
    const timeoutMs = Math.min(this.config.turnTimeoutMs, timeoutSeconds * 1_000);
    return new Deadline(clock, timeoutMs - elapsedMs, () => lease.end('deadline'));
  }

  /** Runs the loop until the turn has ended or is parked; a message steered in late goes on with it. */
  async #runToEnd(
    run: TurnRun,
    announced: Promise<void>,
  ): Promise<'parked' | { hasNext: boolean }> {
    for (;;) {
      const ending = await runTurn(run);
      await announced;
      if (ending === 'parked') {
        run.logger.info({}, 'turn waits for an approval');
        run.span?.set({ [attributes.outcome]: 'parked' });
        return 'parked';
      }
      const stored = await this.ender.end(run, ending, run.terms.withoutSlot);
      if (stored.type === 'stored') return stored;
      run.lease.steered = stored.steered;
    }
  }
}

/** Closes a turn's tools in a limited time: a tool that does not close would keep the worker's slot. */
async function closeTools({ toolset, clock, logger }: TurnRun): Promise<void> {
  try {
    if (await settlesWithin(CLOSE_WAIT_MS, toolset.close(), clock)) return;
    throw new Error(`not closed after ${CLOSE_WAIT_MS} ms`);
  } catch (error) {
    logger.warn({ error }, 'a tool did not close');
  }
}
