import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { getTableName, sql } from 'drizzle-orm';
import { removeEndedLogins } from '../access/face.js';
import type { BlobStore } from '../attachments/blob-store.js';
import type { Config } from '../config/config.js';
import { Poller } from '../platform/async/poller.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { expireSessions, releaseFiles } from '../session/session-expiry.js';
import type { Database } from '../storage/connection.js';
import { turns } from '../storage/schema.js';
import { removeBegunMcpLogins } from '../tools/mcp/oauth/mcp-logins.js';
import { tables, type TableEntry } from '../storage/tables.js';

/** Pause between two rounds, in ms. */
const ROUND_MS = 10_000;

const DAY_MS = 86_400_000;

/** Rows deleted in one statement; of rows that belong to turns, turns. */
const MAX_ROWS = 5_000;
const MAX_TURNS = 500;

/** A periodic task; several processes may run it at the same time. */
export interface Chore {
  name: string;
  run(): Promise<unknown>;
}

/** Injects the chores of a process. */
export const CHORES = Symbol('Chores');

/** Runs the chores, which remove expired data, round after round. */
@Injectable()
export class Housekeeper implements OnModuleDestroy {
  readonly #poller: Poller;

  constructor(
    @Inject(CHORES) private readonly chores: readonly Chore[],
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#poller = new Poller(() => this.#doRound(), { clock, waitMs: () => ROUND_MS });
  }

  start(): void {
    this.#poller.later();
  }

  /** Resolves when the chore in progress is done. */
  onModuleDestroy(): Promise<void> {
    return this.#poller.stop();
  }

  /** A failing chore does not keep the others from running. */
  async #doRound(): Promise<void> {
    for (const { name, run } of this.chores) {
      if (this.#poller.isStopped) return;
      try {
        await run();
      } catch (error) {
        this.logger.warn(
          { chore: name, error },
          'could not delete old data; housekeeping tries again in ten seconds',
        );
      }
    }
  }
}

/** All that has a term: rows of tables with days of their own, sessions and files without use, contents of nobody. */
export function listChores(config: Config, db: Database, clock: Clock, blobs: BlobStore): Chore[] {
  const now = (): Date => new Date(clock.now());
  const old = tables.flatMap((entry): Chore[] => {
    const { table, kept } = entry;
    if (typeof kept === 'string') return [];
    const days = config[kept.days];
    const run = (): Promise<number> => forgetOld(db, entry, { now: now(), days });
    return [{ name: `forget-${getTableName(table)}`, run }];
  });
  return [
    {
      name: 'expire-sessions',
      run: () => expireSessions(db, now(), config.sessionKeepDays),
    },
    { name: 'release-files', run: () => releaseFiles(db, now(), config.fileKeepDays) },
    { name: 'remove-ended-logins', run: () => removeEndedLogins(db, now()) },
    { name: 'remove-begun-mcp-logins', run: () => removeBegunMcpLogins(db, now()) },
    { name: 'collect-blobs', run: () => blobs.collect() },
    ...old,
  ];
}

/**
 * Deletes rows that are older than their days, the oldest first: as many as one statement takes.
 *
 * @param days 0: none.
 * @returns the number of deleted rows.
 */
export async function forgetOld(
  db: Database,
  { table, owner, kept }: TableEntry,
  { now, days }: { now: Date; days: number },
): Promise<number> {
  if (typeof kept === 'string' || days === 0) return 0;
  const { since, stays = sql`false` } = kept;
  const time = new Date(now.getTime() - days * DAY_MS).toISOString();
  // Days are kept whole.
  const before = since.getSQLType() === 'date' ? time.slice(0, 10) : time;
  const isOld = sql`${since} < ${before} and (${stays}) is not true`;
  const { rows } = await db.execute(
    since.table === table
      ? sql`
        delete from ${table} where ${isOld} and ctid in (
          select ctid from ${table} where ${isOld} order by ${since} limit ${MAX_ROWS}) returning 1`
      : sql`
        delete from ${table} where ${owner?.column} in (
          select ${turns.id} from ${turns}
          where ${isOld} and exists (select 1 from ${table} where ${owner?.column} = ${turns.id})
          limit ${MAX_TURNS}) returning 1`,
  );
  return rows.length;
}
