import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { type Actor, AuditLog } from '../../access/face.js';
import { type Clock, CLOCK, compact, isoTime, printExact, rechunk } from '../../platform/face.js';
import { BlobStore } from '../../attachments/face.js';
import { isListed, SessionStore } from '../../session/face.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { blobs, sessionBlobs, memoryFiles } from '../../storage/file-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { FILE_PIECE_BYTES, frameText, headerAt } from './export-format.js';
import {
  memoryFileKind,
  selectColumns,
  selectRecords,
  sessionKinds,
  turnKinds,
  type SelectedRecord,
} from './record-kinds.js';
import { invalidRequest, type TypedError } from '../../errors/typed-error.js';

/** Sessions listed at a time. */
const LISTED_AT_ONCE = 200;

/** Files of memories loaded at a time: each has a megabyte at most. */
const MAX_MEMORY_FILES = 20;

/** The sessions to export; neither: all. */
export interface ExportSelection {
  sessionId?: string | undefined;
  principalId?: string | undefined;
}

/** The session was deleted while it was exported. */
class SessionGone extends Error {}

/**
 * Exports sessions as lines. The reader's pace is the export's: each statement is made when its lines are
 * wanted, none holds a transaction open meanwhile, and memory has one turn and one piece of a file.
 *
 * Ended turns never change, so a session is whole without a snapshot; a turn that has not ended is as it was at
 * one moment.
 */
@Injectable()
export class SessionExporter {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly store: SessionStore,
    private readonly contents: BlobStore,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @param by the principal who exports, for the audit log.
   * @throws TypedError SESSION_NOT_FOUND 404, INVALID_REQUEST 400 for the session of a subagent or a replay;
   *   before any line.
   */
  async open(selection: ExportSelection, by: Actor): Promise<AsyncGenerator<string>> {
    const { sessionId, principalId } = selection;
    if (sessionId !== undefined) {
      const { parentTurnId, replayOf } = await this.store.get(sessionId);
      if (parentTurnId !== null) throw subagentSession(sessionId, parentTurnId);
      if (replayOf !== null) throw replaySession(sessionId, replayOf);
    }
    const subject = sessionId ?? principalId ?? 'all';
    await this.audit.write({ by, action: 'sessions.exported', subject });
    return this.#lines(selection);
  }

  async *#lines({ sessionId, principalId }: ExportSelection): AsyncGenerator<string> {
    yield frameText(headerAt(isoTime(this.clock.now())));
    let count = 0;
    const ids = sessionId === undefined ? this.#list(principalId) : [sessionId];
    for await (const id of ids) {
      let lines = 1;
      try {
        for await (const line of this.#session(id)) {
          lines += 1;
          yield line;
        }
        yield frameText({ type: 'session.end', sessionId: id, lines });
        count += 1;
      } catch (error) {
        if (!(error instanceof SessionGone)) throw error;
        yield frameText({ type: 'session.gone', sessionId: id });
      }
    }
    let memoryFiles = 0;
    if (sessionId === undefined) {
      for await (const record of this.#memoryFiles(principalId)) {
        memoryFiles += 1;
        yield recordText(record);
      }
    }
    yield frameText({ type: 'end', sessions: count, ...(memoryFiles > 0 ? { memoryFiles } : {}) });
  }

  async *#list(principalId: string | undefined): AsyncGenerator<string> {
    for (let last = ''; ;) {
      const page = await this.db
        .select({ id: sessions.id })
        .from(sessions)
        .where(
          and(
            isListed,
            gt(sessions.id, last),
            principalId === undefined ? undefined : eq(sessions.principalId, principalId),
          ),
        )
        .orderBy(asc(sessions.id))
        .limit(LISTED_AT_ONCE);
      for (const { id } of page) yield id;
      last = page.at(-1)?.id ?? last;
      if (page.length < LISTED_AT_ONCE) return;
    }
  }

  /** The files of a principal, or of all, as records. */
  async *#memoryFiles(principalId: string | undefined): AsyncGenerator<SelectedRecord> {
    const { principalId: owner, agent, path } = memoryFiles;
    const position = sql`(${owner}, ${agent}, ${path})`;
    let after: [string, string, string] | undefined;
    for (;;) {
      const page = await this.db
        .select({ owner, agent, path, row: selectColumns(memoryFileKind) })
        .from(memoryFiles)
        .where(
          and(
            principalId === undefined ? undefined : eq(owner, principalId),
            after === undefined
              ? undefined
              : sql`${position} > (${after[0]}::text, ${after[1]}::text, ${after[2]}::text)`,
          ),
        )
        .orderBy(asc(owner), asc(agent), asc(path))
        .limit(MAX_MEMORY_FILES);
      for (const { row } of page) yield { type: memoryFileKind.type, row };
      const last = page.at(-1);
      if (last === undefined || page.length < MAX_MEMORY_FILES) return;
      after = [last.owner, last.agent, last.path];
    }
  }

  /** The lines of a session and of its subagents'. @throws SessionGone once it is deleted. */
  async *#session(sessionId: string): AsyncGenerator<string> {
    const own = await selectRecords(this.db, sessionKinds, sessionId);
    if (own.length === 0) throw new SessionGone();
    yield* own.map(recordText);
    yield* this.#files(sessionId);
    const ids = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.sessionId, sessionId))
      .orderBy(asc(turns.createdAt), asc(turns.id));
    for (const { id } of ids) {
      const records = await selectRecords(this.db, turnKinds, id);
      if (records.length === 0) throw new SessionGone();
      yield* records.map(recordText);
      const children = await this.db
        .select({ id: sessions.id })
        .from(sessions)
        .where(eq(sessions.parentTurnId, id))
        .orderBy(asc(sessions.createdAt), asc(sessions.id));
      for (const child of children) yield* this.#session(child.id);
    }
  }

  async *#files(sessionId: string): AsyncGenerator<string> {
    const files = await this.db
      .select({ sha256: blobs.sha256, size: blobs.size })
      .from(sessionBlobs)
      .innerJoin(blobs, eq(blobs.sha256, sessionBlobs.sha256))
      .where(eq(sessionBlobs.sessionId, sessionId))
      .orderBy(asc(blobs.sha256));
    for (const file of files) {
      const pieces = await this.contents.pieces(file.sha256);
      const missing = pieces === undefined ? true : undefined;
      yield frameText({ type: 'file', ...file, ...compact({ missing }) });
      if (pieces === undefined) continue;
      for await (const bytes of rechunk(pieces, FILE_PIECE_BYTES)) {
        yield frameText({ type: 'bytes', data: bytes.toString('base64') });
      }
    }
  }
}

function recordText({ type, row }: SelectedRecord): string {
  return `{"type":"${type}","row":${printExact(row)}}\n`;
}

function subagentSession(sessionId: string, parentTurnId: string): TypedError {
  return invalidRequest(
    `${sessionId} is the session of a subagent, which is exported with its parent's. Export the session of the turn ${parentTurnId}.`,
    { sessionId, parentTurnId },
  );
}

function replaySession(sessionId: string, turnId: string): TypedError {
  return invalidRequest(
    `${sessionId} is the session of a replay, which is not exported because it can be made again. Export the session of the turn ${turnId}, or fork this one and export the fork.`,
    { sessionId, turnId },
  );
}
