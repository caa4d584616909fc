import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, sql } from 'drizzle-orm';
import { CONFIG } from '../config/config.js';
import { quotaOf, type QuotaConfig } from '../memory/memory-quota.js';
import { storeImported } from '../memory/memory-rows.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { memoryFiles } from '../storage/memory-schema.js';
import type { RecordLine } from './parse-line.js';
import { memoryFileKind } from './record-kinds.js';
import { selectColumns, type SelectedRecord } from './select-records.js';

/** Files loaded at a time: each has a megabyte at most. */
const LOADED_AT_ONCE = 20;

/** The files of memories in exports: they belong to principals, and to no session. */
@Injectable()
export class MemoryTransfer {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: QuotaConfig,
  ) {}

  /** The files of a principal, or of all, as records. */
  async *records(principalId: string | undefined): AsyncGenerator<SelectedRecord> {
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
        .limit(LOADED_AT_ONCE);
      for (const { row } of page) yield { type: memoryFileKind.type, row };
      const last = page.at(-1);
      if (last === undefined || page.length < LOADED_AT_ONCE) return;
      after = [last.owner, last.agent, last.path];
    }
  }

  /**
   * Stores a file, unless one of its path is here.
   *
   * @param principalId its owner; undefined: the file's.
   * @returns whether it was stored; why its memory has no room for it.
   */
  import(
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
}
