import type { MemoryResult } from './memory-command.js';

/** A file as a command finds it. */
export interface MemoryFile {
  path: string;
  version: number;
  /** Bytes in UTF-8. */
  bytes: number;
  /** The turn that wrote it; null: its owner did, by the API. */
  turnId: string | null;
  updatedAt: Date;
  /** Undefined: the command is not about this file. */
  content: string | undefined;
}

/** A memory as a command finds it. */
export interface MemoryState {
  files: ReadonlyMap<string, MemoryFile>;
  /** Versions that the session's model was shown last, by path. */
  seen: ReadonlyMap<string, number>;
  quota: MemoryQuota;
}

/** Limits of one memory. */
export interface MemoryQuota {
  files: number;
  /** Most bytes of a file. */
  fileBytes: number;
  /** Most bytes of all files together. */
  bytes: number;
}

/** Files to write, with their new content, and to remove; a moved file keeps its content. */
export type MemoryChange =
  | { type: 'write'; path: string; content: string }
  | { type: 'remove'; paths: readonly string[] }
  | { type: 'move'; moves: readonly { from: string; to: string }[] };

/** The result of a command, with the change that it makes. */
export interface MemoryOutcome extends MemoryResult {
  change?: MemoryChange;
  /** Files that the output shows as they are now: the session has seen their versions. */
  shown?: readonly string[];
}
