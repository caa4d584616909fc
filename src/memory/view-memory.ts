import type { MemoryQuota } from './commands/memory-command.js';
import type { ListedFile, MemorySummary } from './owner-memory.js';

/** A memory as clients see it. */
export interface MemoryView {
  agent: string;
  files: number;
  bytes: number;
  /** The time of the last write. */
  updatedAt: string;
  /** The most that it may have. */
  quota: MemoryQuota;
}

/** A file of a memory in a list. */
export interface ListedFileView {
  path: string;
  version: number;
  bytes: number;
  updatedAt: string;
  /** Null: its owner wrote it. */
  turnId: string | null;
}

export interface FileView extends ListedFileView {
  content: string;
}

export function viewMemory(
  { updatedAt, ...memory }: MemorySummary,
  quota: MemoryQuota,
): MemoryView {
  return { ...memory, updatedAt: updatedAt.toISOString(), quota };
}

export function viewListedFile(file: ListedFile): ListedFileView {
  const { path, version, bytes, turnId, updatedAt } = file;
  return { path, version, bytes, updatedAt: updatedAt.toISOString(), turnId };
}

export function viewFile(file: ListedFile & { content: string }): FileView {
  return { ...viewListedFile(file), content: file.content };
}
