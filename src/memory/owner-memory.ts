import type { Actor } from '../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { AuditLog } from '../access/audit-log.js';
import { CONFIG, type Config } from '../config/config.js';
import { cutPage } from '../http/paging/load-page.js';
import { badCursor, type PageQueryDto } from '../http/paging/page-query.dto.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { memoryFiles } from '../storage/file-schema.js';
import { foundRow } from '../storage/rows.js';
import { checkQuota, findObstacle } from './commands/decide-command.js';
import { type MemoryChange, quotaOf, type QuotaConfig } from './commands/memory-command.js';
import {
  describeChange,
  hasMaxMemories,
  loadFiles,
  lockMemory,
  MAX_MEMORIES,
  ofMemory,
  storeChange,
  type MemoryKey,
} from './memory-rows.js';
import {
  viewFile,
  viewListedFile,
  type FileDto,
  type FilePageDto,
  type MemoryDto,
} from './memory.dto.js';
import { parseMemoryPath } from './memory-path.js';
import {
  badPath,
  memoryChanged,
  memoryFileNotFound,
  memoryFull,
  memoryLimit,
  memoryOff,
  type Expected,
} from './memory-errors.js';

/** The memory of the principal that changes it. */
interface OwnMemory {
  agent: string;
  by: Actor;
}

/** Memories as their owner reads, corrects and deletes them. */
@Injectable()
export class OwnerMemory {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: QuotaConfig & Pick<Config, 'memory'>,
    private readonly audit: AuditLog,
  ) {}

  /** Lists a principal's memories that have files, by agent: there are few. */
  async list(principalId: string): Promise<MemoryDto[]> {
    const { agent, bytes, updatedAt } = memoryFiles;
    const found = await this.db
      .select({
        agent,
        files: sql`count(*)`.mapWith(Number),
        bytes: sql`sum(${bytes})`.mapWith(Number),
        updatedAt: sql`max(${updatedAt})`.mapWith(updatedAt),
      })
      .from(memoryFiles)
      .where(eq(memoryFiles.principalId, principalId))
      .groupBy(agent)
      .orderBy(asc(agent));
    const quota = quotaOf(this.config);
    return found.map((one) => ({ ...one, updatedAt: one.updatedAt.toISOString(), quota }));
  }

  /** The files of a memory, by path. @throws TypedError INVALID_REQUEST 400 for an invalid cursor. */
  async files(key: MemoryKey, { cursor, limit }: PageQueryDto): Promise<FilePageDto> {
    const { path, version, bytes, turnId, updatedAt } = memoryFiles;
    // The token of a page is the last path of the page before.
    if (cursor !== undefined && 'problem' in parseMemoryPath(cursor)) throw badCursor();
    const found = await this.db
      .select({ path, version, bytes, turnId, updatedAt })
      .from(memoryFiles)
      .where(and(ofMemory(key), cursor === undefined ? undefined : gt(path, cursor)))
      .orderBy(asc(path))
      .limit(limit + 1);
    const { rows, ...next } = cutPage(found, limit, (file) => file.path);
    return { files: rows.map(viewListedFile), ...next };
  }

  /** @throws TypedError MEMORY_FILE_NOT_FOUND 404. */
  async get(key: MemoryKey, path: string): Promise<FileDto> {
    return viewFile(await loadFile(this.db, key, path));
  }

  /**
   * Writes a file whole.
   *
   * @throws TypedError MEMORY_OFF 403, MEMORY_CHANGED 412, MEMORY_FULL 409, INVALID_REQUEST 400 for a path that
   *   cannot be a file's.
   */
  put(
    { agent, by }: OwnMemory,
    file: { path: string; content: string },
    expected: Expected,
  ): Promise<FileDto> {
    if (!this.config.memory) throw memoryOff();
    const { path, content } = file;
    const key = { principalId: by.id, agent };
    return this.db.transaction(async (tx) => {
      const revision = (await lockMemory(tx, key)) + 1;
      const files = await loadFiles(tx, key, undefined);
      assertExpected(path, files.get(path)?.version, expected);
      const obstacle = findObstacle(path, files);
      if (obstacle !== undefined) throw badPath(obstacle.replace(/\.$/, ''));
      if (files.size === 0 && (await hasMaxMemories(tx, key))) throw memoryLimit(MAX_MEMORIES);
      const full = checkQuota({ files, quota: quotaOf(this.config) }, path, content);
      if (full !== undefined) throw memoryFull(`Nothing was written: ${full}`);
      await this.#store(tx, { agent, by }, { change: { type: 'write', path, content }, revision });
      return viewFile(await loadFile(tx, key, path));
    });
  }

  /** @throws TypedError MEMORY_FILE_NOT_FOUND 404, MEMORY_CHANGED 412. */
  async delete(own: OwnMemory, path: string, expected: Expected | undefined): Promise<void> {
    const key = { principalId: own.by.id, agent: own.agent };
    await this.db.transaction(async (tx) => {
      const revision = (await lockMemory(tx, key)) + 1;
      const found = (await loadFiles(tx, key, undefined)).get(path);
      if (found === undefined) throw memoryFileNotFound(path);
      if (expected !== undefined) assertExpected(path, found.version, expected);
      await this.#store(tx, own, { change: { type: 'remove', paths: [path] }, revision });
    });
  }

  /** Deletes all files of a memory. @returns their number. */
  deleteAll(own: OwnMemory): Promise<number> {
    const key = { principalId: own.by.id, agent: own.agent };
    return this.db.transaction(async (tx) => {
      const revision = (await lockMemory(tx, key)) + 1;
      const paths = [...(await loadFiles(tx, key, undefined)).keys()];
      if (paths.length > 0) {
        await this.#store(tx, own, { change: { type: 'remove', paths }, revision });
      }
      return paths.length;
    });
  }

  /** Stores a change and its audit entry. */
  async #store(
    tx: Queryable,
    { agent, by }: OwnMemory,
    { change, revision }: { change: MemoryChange; revision: number },
  ): Promise<void> {
    const at = new Date(this.clock.now());
    const key = { principalId: by.id, agent };
    await storeChange(tx, key, { change, revision, writer: { turnId: null, callId: null, at } });
    const details = { agent, ...describeChange(change) };
    await this.audit.write({ by, action: 'memory.changed', subject: agent, details }, tx);
  }
}

/** @throws TypedError MEMORY_FILE_NOT_FOUND 404. */
async function loadFile(db: Queryable, key: MemoryKey, path: string) {
  const found = db
    .select()
    .from(memoryFiles)
    .where(ofMemory(key, [path]));
  return foundRow(await found, () => memoryFileNotFound(path));
}

/** @throws TypedError MEMORY_CHANGED 412. */
function assertExpected(path: string, version: number | undefined, expected: Expected): void {
  const isMet =
    expected === 'none'
      ? version === undefined
      : version !== undefined && (expected === 'any' || expected === version);
  if (!isMet) throw memoryChanged(path, version);
}
