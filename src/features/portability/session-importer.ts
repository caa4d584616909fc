import { getTableName, sql, eq } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import { type Actor, AuditLog } from '../../access/face.js';
import { BlobStore } from '../../attachments/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { type Clock, CLOCK } from '../../platform/face.js';
import { countSessions, sessionLimit } from '../../session/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { isStatementRefused, violatedConstraint } from '../../storage/database-errors.js';
import { typesOf, unnest } from '../../storage/statements.js';
import { sessions } from '../../storage/schema.js';
import { TurnCanceller } from '../../turn/face.js';
import { quotaOf, type QuotaConfig } from '../../memory/commands/memory-command.js';
import { storeImported } from '../../memory/memory-rows.js';
import { ImportLines, ReadSession, SessionSpool, type RecordBatch } from './read-session.js';
import { LineFault, type RecordLine } from './export-format.js';
import type { ImportReportDto } from './portability.dto.js';
import { TypedError } from '../../errors/typed-error.js';

/** Ids of sessions in a report. */
const MAX_LISTED_IDS = 100;

export interface ImportOptions {
  /** The owner of every session; undefined: the file's. */
  principalId?: string | undefined;
  /** The principal who imports, for the audit log. */
  by: Actor;
}

/** Imports sessions from lines, each session with all that belongs to it or not at all. */
@Injectable()
export class SessionImporter {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxSessions'> & QuotaConfig,
    private readonly contents: BlobStore,
    private readonly canceller: TurnCanceller,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Stores the sessions that are not here yet. Turns that had not ended are interrupted: no worker takes them.
   *
   * @throws TypedError IMPORT_INVALID and IMPORT_TOO_NEW 400, with the line; SESSION_LIMIT 429; what the bytes
   *   throw. Sessions before the fault stay: the same file, mended, goes on after them.
   */
  async import(
    bytes: AsyncIterable<Uint8Array>,
    { principalId, by }: ImportOptions,
  ): Promise<ImportReportDto> {
    const done: ImportReportDto = {
      imported: 0,
      skipped: 0,
      skippedSessions: [],
      interruptedTurns: 0,
      importedMemoryFiles: 0,
      skippedMemoryFiles: 0,
    };
    const lines = new ImportLines(bytes);
    const spool = await SessionSpool.open();
    try {
      await this.#importAll(lines, spool, { principalId, done });
      return done;
    } catch (error) {
      throw error instanceof LineFault ? importInvalid(error, done) : error;
    } finally {
      await lines.close();
      await spool.close();
      const { imported, skipped, interruptedTurns } = done;
      const details = { imported, skipped, interruptedTurns };
      const subject = principalId ?? 'all';
      await this.audit.write({ by, action: 'sessions.imported', subject, details });
    }
  }

  async #importAll(
    lines: ImportLines,
    spool: SessionSpool,
    { principalId, done }: { principalId: string | undefined; done: ImportReportDto },
  ): Promise<void> {
    const header = await lines.next();
    if (header.type !== 'header') throw new LineFault(1, 'is not the header of an export');
    let [ended, memoryFiles] = [0, 0];
    for (;;) {
      const line = await lines.next();
      if (line.type === 'end') {
        const wanted = `${line.sessions} sessions and ${line.memoryFiles ?? 0} files of memories`;
        const came = `${ended} sessions and ${memoryFiles} files of memories`;
        if (wanted === came) return;
        const why = `counts ${wanted}, and ${came} came before it: lines are missing`;
        throw new LineFault(lines.number, why);
      }
      if (line.type === 'record' && line.kind.of === 'principal') {
        memoryFiles += 1;
        const came = await this.#storeMemoryFile(line, principalId);
        if (typeof came === 'object') {
          throw new LineFault(lines.number, `(memoryFile) has no room in its memory: ${came.full}`);
        }
        if (came === 'stored') done.importedMemoryFiles += 1;
        else done.skippedMemoryFiles += 1;
        continue;
      }
      await spool.clear();
      const at = new Date(this.clock.now()).toISOString();
      const read = new ReadSession(lines, spool, { contents: this.contents, principalId, at });
      const rootId = read.begin(line);
      const isKnown = await this.#has(rootId);
      const isWhole = await read.readRest(isKnown);
      if (isWhole) ended += 1;
      if (!isWhole || isKnown) {
        done.skipped += 1;
        if (done.skippedSessions.length < MAX_LISTED_IDS) done.skippedSessions.push(rootId);
        continue;
      }
      await this.#store(read, spool);
      done.imported += 1;
      done.interruptedTurns += await this.#interrupt(read.unended);
    }
  }

  /**
   * Stores a file, unless one of its path is here.
   *
   * @param principalId its owner; undefined: the file's.
   * @returns whether it was stored; why its memory has no room for it.
   */
  #storeMemoryFile(
    { fields }: RecordLine,
    principalId: string | undefined,
  ): Promise<'stored' | 'taken' | { full: string }> {
    const textOf = (name: string): string => String(fields[name]);
    const turnId = fields['turnId'];
    const key = { principalId: principalId ?? textOf('principalId'), agent: textOf('agent') };
    const writer = {
      turnId: typeof turnId === 'string' ? turnId : null,
      callId: null,
      at: new Date(textOf('updatedAt')),
    };
    const file = { path: textOf('path'), content: textOf('content') };
    const quota = quotaOf(this.config);
    return this.db.transaction((tx) => storeImported(tx, key, { file, writer, quota }));
  }

  async #has(sessionId: string): Promise<boolean> {
    const found = await this.db
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.id, sessionId));
    return found.length > 0;
  }

  async #store({ files }: ReadSession, spool: SessionSpool): Promise<void> {
    await this.db.transaction(async (tx) => {
      for await (const batch of spool.batches()) await insertBatch(tx, batch);
      for (const [sessionId, hashes] of files) await this.contents.keep(sessionId, hashes, tx);
      const { maxSessions } = this.config;
      if ((await countSessions(tx)) > maxSessions) throw sessionLimit(maxSessions);
    });
  }

  /** The turns were stored as held and to be ended, so that the sweeper ends them if this process dies here. */
  async #interrupt(turnIds: readonly string[]): Promise<number> {
    // Those of subagents first: they come after their parents.
    for (const turnId of turnIds.toReversed()) {
      await this.canceller.endIdle(turnId, { reason: 'imported', which: 'unstarted' });
    }
    return turnIds.length;
  }
}

/** @throws LineFault where the database refuses the rows. */
async function insertBatch(tx: Queryable, { kind, rows, lines }: RecordBatch): Promise<void> {
  const { table, columns } = kind;
  const names = Object.values(columns).map(({ name }) => sql.identifier(name));
  const values = Object.keys(columns).map((name) => sql`input.${sql.identifier(name)}`);
  try {
    await tx.execute(sql`
      insert into ${sql.identifier(getTableName(table))} (${sql.join(names, sql`, `)})
      select ${sql.join(values, sql`, `)} from ${unnest(typesOf(columns), rows)}`);
  } catch (error) {
    if (!isStatementRefused(error)) throw error;
    const [first, last] = lines;
    const range = first === last ? '' : `, or a line up to ${last},`;
    const what = violatedConstraint(error) ?? 'a value';
    throw new LineFault(first, `(${kind.type})${range} was refused by the database: ${what}`);
  }
}

/** The error for a file that is not an export to its end. Sessions before the line stay. */
function importInvalid({ line, why, isNewer }: LineFault, done: ImportReportDto): TypedError {
  const kept =
    done.imported === 0
      ? 'Nothing was imported.'
      : `Of the session at that line nothing was stored; ${done.imported} before it ${done.imported === 1 ? 'was' : 'were'} imported.`;
  return new TypedError(isNewer ? 'IMPORT_TOO_NEW' : 'IMPORT_INVALID', {
    message: `Line ${line} ${why}${/[.!?]$/.test(why) ? '' : '.'} ${kept}`,
    details: { line, ...done },
  });
}
