import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { isNull, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.js';
import { DeploymentCounts } from '../telemetry/deployment-counts.js';
import { Metrics } from '../telemetry/metrics.js';
import { untilAborted } from '../platform/async/deadlines.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { packageCommit, packageVersion } from '../platform/process/package-root.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { OPENED_DATABASE, type OpenedDatabase, type Database } from '../storage/connection.js';
import { approvals } from '../storage/governance-schema.js';
import { turns } from '../storage/schema.js';
import { isUnended, type UnendedStatus } from './unended-turns.js';

/** Each process is asked for the deployment's counts, mostly every 15 s. */
const CACHE_MS = 5_000;

/** Timeout of the counts, in ms: the process's own metrics do not wait for a database that is away. */
const COUNT_TIMEOUT_MS = 1_000;

/** The metrics of the process and of its deployment, as Prometheus takes them. */
@Injectable()
export class MetricsService {
  readonly #waiting: TtlCache<Waiting>;
  #isMeasured = false;

  constructor(
    private readonly metrics: Metrics,
    private readonly counts: DeploymentCounts,
    @Inject(OPENED_DATABASE) private readonly database: OpenedDatabase,
    @Inject(CONFIG) private readonly config: Pick<Config, 'role'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.#waiting = new TtlCache(clock, CACHE_MS);
  }

  /** The media type of `text`. */
  get type(): string {
    return this.metrics.registry.contentType;
  }

  async text(): Promise<string> {
    const { registry, buildInfo } = this.metrics;
    // Measuring the event loop costs a little all the time: nothing where nobody asks.
    if (!this.#isMeasured) collectDefaultMetrics({ register: registry });
    this.#isMeasured = true;
    const commit = packageCommit ?? '';
    buildInfo.set({ version: packageVersion, commit, role: this.config.role }, 1);
    this.#setPool();
    await this.#setWaiting();
    return registry.metrics();
  }

  #setPool(): void {
    for (const [state, count] of Object.entries(this.database.pool?.() ?? {})) {
      this.metrics.databasePool.set({ state }, count);
    }
  }

  async #setWaiting(): Promise<void> {
    const { queueTurns, queueOldestAge, approvalsPending } = this.metrics;
    const waiting = await this.#findWaiting();
    for (const [state, depth] of Object.entries(waiting.turns)) queueTurns.set({ state }, depth);
    queueOldestAge.set(waiting.oldestSeconds);
    approvalsPending.set(waiting.approvals);
    for (const { name, gauge } of this.counts.list()) gauge.set(waiting.counts[name] ?? Number.NaN);
  }

  /** Counts that are unknown are NaN, which no alert's comparison is true of; the last ones may be wrong. */
  async #findWaiting(): Promise<Waiting> {
    const { database, logger } = this;
    try {
      const counts = this.#waiting.get('', () => countWaiting(database.db, this.counts));
      return await untilAborted(counts, AbortSignal.timeout(COUNT_TIMEOUT_MS));
    } catch (error) {
      logger.warn(
        { error },
        'could not count the queue for metrics; its gauges are NaN in this scrape',
      );
      const { NaN: none } = Number;
      const turns = { held: none, queued: none, running: none, waiting: none };
      return { turns, oldestSeconds: none, approvals: none, counts: {} };
    }
  }
}

/** Work that waits in the whole deployment. */
interface Waiting {
  /** Turns that have not ended. */
  turns: Record<UnendedStatus, number>;
  /** Age of the oldest queued turn, in seconds; 0 without one. */
  oldestSeconds: number;
  /** Approvals that nobody has answered. */
  approvals: number;
  /** Those of features, by their names. */
  counts: Record<string, number>;
}

/** Counts turns and approvals. The cost grows with the unended ones: both have an index of no others. */
async function countWaiting(db: Database, counts: DeploymentCounts): Promise<Waiting> {
  const [rows, open, ofFeatures] = await Promise.all([
    db
      .select({
        status: turns.status,
        depth: sql`count(*)`.mapWith(Number),
        seconds: sql`extract(epoch from now() - min(${turns.createdAt}))`.mapWith(Number),
      })
      .from(turns)
      .where(isUnended)
      .groupBy(turns.status),
    db.$count(approvals, isNull(approvals.decision)),
    counts.find(db),
  ]);
  const depthOf = (status: UnendedStatus): number =>
    rows.find((row) => row.status === status)?.depth ?? 0;
  return {
    turns: {
      held: depthOf('held'),
      queued: depthOf('queued'),
      running: depthOf('running'),
      waiting: depthOf('waiting'),
    },
    oldestSeconds: Math.max(0, rows.find(({ status }) => status === 'queued')?.seconds ?? 0),
    approvals: open,
    counts: ofFeatures,
  };
}
