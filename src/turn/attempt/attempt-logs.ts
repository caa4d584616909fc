import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { loadArchive } from '../../events/archive.js';
import { logStart } from '../../events/cursor.js';
import { EVENT_LOG, FencedError, type EventLog } from '../../events/event-log.js';
import { EventWriter } from '../../events/event-writer.js';
import { restoreLog } from '../../events/restore-log.js';
import { TurnCommits } from '../../events/turn-commits.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { Metrics } from '../../metrics/metrics.js';
import { untilAborted } from '../../platform/async/abort.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { ToolRegistry } from '../../tools/registry.js';
import type { Claim } from '../state/attempt.js';
import type { Lease } from '../state/lease.js';
import { isProgress } from '../queue/attempts-in-vain.js';
import { countEvents } from './count-events.js';

/** Opens the logs of attempts, and their writers. */
@Injectable()
export class AttemptLogs {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly commits: TurnCommits,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'leaseMs'>,
    private readonly tools: ToolRegistry,
    private readonly metrics: Metrics,
  ) {}

  /** @returns the archived events of earlier attempts, all of which readers find in the log. */
  async open(
    { id: turnId, attempt, wasAnnounced }: Claim,
    lease: Lease,
  ): Promise<readonly TurnEvent[]> {
    // The log is empty, and no other attempt can append to it: the first append opens the log.
    if (attempt === 1 && !wasAnnounced) return [];
    const end = await untilAborted(this.log.begin(turnId, attempt), lease.signal);
    const archived = await loadArchive(this.db, turnId);
    await restoreLog(this.log, { turnId, attempt }, archived, end);
    return archived;
  }

  /** @param archived what `open` returned. */
  openWriter(
    claim: Claim,
    { archived, lease, logger }: { archived: readonly TurnEvent[]; lease: Lease; logger: Logger },
  ): EventWriter {
    const { id: turnId, attempt } = claim;
    const { metrics, tools } = this;
    const isServerTool = (name: string): boolean => tools.select([name]).tools.length > 0;
    return new EventWriter({
      log: this.log,
      db: this.db,
      commits: this.commits,
      clock: this.clock,
      turnId,
      attempt,
      before: archived.at(-1) ?? logStart,
      commitTimeoutMs: this.config.leaseMs,
      isLost: () => lease.reason === 'lost',
      onStored: (events) => {
        if (events.some(({ type }) => isProgress(type))) lease.onProgress();
        countEvents(metrics, { turn: claim, isServerTool }, events);
      },
      onLogError: (error) => logger.warn({ error }, 'the log took no append'),
      onFailure: (error) => {
        if (error instanceof FencedError) metrics.fencedWrites.inc();
        logger.warn({ error }, 'a write of the turn failed');
        lease.end('lost');
      },
    });
  }
}
