import type { MemoryCallRow, Violation } from '../types.js';

export declare function checkMemory(
  calls: readonly MemoryCallRow[],
  files: ReadonlyMap<string, string>,
): Violation[];
