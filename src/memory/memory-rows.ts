import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { memories, memoryFiles, memorySeen } from '../storage/file-schema.js';
import { checkQuota, findObstacle } from './commands/decide-command.js';
import type { MemoryChange, MemoryFile, MemoryQuota } from './commands/memory-command.js';

/** Names a memory: the files that turns of an agent keep for a principal. */
export interface MemoryKey {
  principalId: string;
  agent: string;
}

/** The writer of a file: a tool call of a turn, or the owner. */
export interface Writer {
  turnId: string | null;
  callId: string | null;
  at: Date;
}

/** Memories of a principal at most: agents are files of the operator, and few. */
export const MAX_MEMORIES = 100;

/**
 * Waits for the lock of a memory, which the transaction's end releases, and makes the memory where there is none.
 * Its row stays when its files are deleted: no version is ever given twice.
 *
 * @returns its revision.
 */
export async function lockMemory(
  tx: Queryable,
  { principalId, agent }: MemoryKey,
): Promise<number> {
  const [locked] = await tx
    .insert(memories)
    .values({ principalId, agent, revision: 0 })
    .onConflictDoUpdate({
      target: [memories.principalId, memories.agent],
      set: { revision: sql`${memories.revision}` },
    })
    .returning({ revision: memories.revision });
  if (locked === undefined) throw new Error('The database returned no memory');
  return locked.revision;
}

/** Whether a principal has files in as many other memories as it may. */
export async function hasMaxMemories(
  db: Queryable,
  { principalId, agent }: MemoryKey,
): Promise<boolean> {
  const others = await db
    .selectDistinct({ agent: memoryFiles.agent })
    .from(memoryFiles)
    .where(and(eq(memoryFiles.principalId, principalId), ne(memoryFiles.agent, agent)))
    .limit(MAX_MEMORIES);
  return others.length >= MAX_MEMORIES;
}

/** Loads the files of a memory; the content of one alone. */
export async function loadFiles(
  db: Queryable,
  key: MemoryKey,
  withContent: string | undefined,
): Promise<Map<string, MemoryFile>> {
  const { path, version, bytes, turnId, updatedAt, content } = memoryFiles;
  const rows = await db
    .select({
      path,
      version,
      bytes,
      turnId,
      updatedAt,
      content: sql<
        string | null
      >`case when ${path} = ${withContent ?? ''}::text then ${content} end`,
    })
    .from(memoryFiles)
    .where(ofMemory(key));
  return new Map(rows.map((row) => [row.path, { ...row, content: row.content ?? undefined }]));
}

/** Stores a change as the revision. */
export async function storeChange(
  tx: Queryable,
  key: MemoryKey,
  { change, revision, writer }: { change: MemoryChange; revision: number; writer: Writer },
): Promise<void> {
  const { turnId, callId, at: updatedAt } = writer;
  const { principalId, agent } = key;
  const written = { version: revision, turnId, callId, updatedAt };
  await tx
    .update(memories)
    .set({ revision })
    .where(and(eq(memories.principalId, principalId), eq(memories.agent, agent)));
  switch (change.type) {
    case 'write': {
      const { path, content } = change;
      const set = { ...written, content, bytes: Buffer.byteLength(content) };
      await tx
        .insert(memoryFiles)
        .values({ principalId, agent, path, ...set })
        .onConflictDoUpdate({
          target: [memoryFiles.principalId, memoryFiles.agent, memoryFiles.path],
          set,
        });
      return;
    }
    case 'remove':
      await tx.delete(memoryFiles).where(ofMemory(key, change.paths));
      return;
    case 'move':
      for (const { from, to } of change.moves) {
        await tx
          .update(memoryFiles)
          .set({ ...written, path: to })
          .where(ofMemory(key, [from]));
      }
  }
}

/**
 * Stores a file of an export, unless its path is taken.
 *
 * @returns `full`: why the memory has no room for it.
 */
export async function storeImported(
  tx: Queryable,
  key: MemoryKey,
  {
    file,
    writer,
    quota,
  }: { file: { path: string; content: string }; writer: Writer; quota: MemoryQuota },
): Promise<'stored' | 'taken' | { full: string }> {
  const revision = (await lockMemory(tx, key)) + 1;
  const files = await loadFiles(tx, key, undefined);
  if (files.has(file.path) || findObstacle(file.path, files) !== undefined) return 'taken';
  if (files.size === 0 && (await hasMaxMemories(tx, key))) {
    return { full: `${key.principalId} has ${MAX_MEMORIES} memories, which is the most` };
  }
  const full = checkQuota({ files, quota }, file.path, file.content);
  if (full !== undefined) return { full };
  await storeChange(tx, key, { change: { type: 'write', ...file }, revision, writer });
  return 'stored';
}

/** Loads what a session's model was shown last of an agent's memory. */
export async function loadSeen(
  db: Queryable,
  { sessionId, agent }: { sessionId: string; agent: string },
): Promise<Map<string, number>> {
  const { path, version } = memorySeen;
  const rows = await db
    .select({ path, version })
    .from(memorySeen)
    .where(and(eq(memorySeen.sessionId, sessionId), eq(memorySeen.agent, agent)));
  return new Map(rows.map((row) => [row.path, row.version]));
}

/** Stores what a session's model has been shown; undefined: it knows that the file is gone. */
export async function storeSeen(
  tx: Queryable,
  { sessionId, agent }: { sessionId: string; agent: string },
  seen: ReadonlyMap<string, number | undefined>,
): Promise<void> {
  const gone = [...seen].flatMap(([path, version]) => (version === undefined ? [path] : []));
  const shown = [...seen].flatMap(([path, version]) =>
    version === undefined ? [] : [{ sessionId, agent, path, version }],
  );
  if (gone.length > 0) {
    const { sessionId: ofSession, agent: ofAgent, path } = memorySeen;
    await tx
      .delete(memorySeen)
      .where(and(eq(ofSession, sessionId), eq(ofAgent, agent), inArray(path, gone)));
  }
  if (shown.length === 0) return;
  await tx
    .insert(memorySeen)
    .values(shown)
    .onConflictDoUpdate({
      target: [memorySeen.sessionId, memorySeen.agent, memorySeen.path],
      set: { version: sql`excluded.version` },
    });
}

export function ofMemory({ principalId, agent }: MemoryKey, paths?: readonly string[]) {
  return and(
    eq(memoryFiles.principalId, principalId),
    eq(memoryFiles.agent, agent),
    paths === undefined ? undefined : inArray(memoryFiles.path, [...paths]),
  );
}

/** Paths named in one entry of the audit log. */
const MAX_PATHS = 20;

/** A change for the audit log: paths and sizes, never content. Pure. */
export function describeChange(change: MemoryChange): Record<string, unknown> {
  switch (change.type) {
    case 'write':
      return { did: 'write', path: change.path, bytes: Buffer.byteLength(change.content) };
    case 'remove':
      return {
        did: 'delete',
        paths: change.paths.slice(0, MAX_PATHS),
        files: change.paths.length,
      };
    case 'move':
      return {
        did: 'rename',
        moves: change.moves.slice(0, MAX_PATHS),
        files: change.moves.length,
      };
  }
}
