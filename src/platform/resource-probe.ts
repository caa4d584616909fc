import { statfs } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from './clock.js';
import { TtlCache } from './ttl-cache.js';

/** How long a reading is good for, in ms. */
const FRESH_MS = 10_000;

export interface ResourceReading {
  /** Of the heap this process may have. */
  memoryPercent: number;
  /** Of the disk a folder is on; 0 where that cannot be told. */
  diskPercent: number;
}

/** Reads how much of its memory and of a disk a process uses; at most every ten seconds. */
export class ResourceProbe {
  readonly #disks: TtlCache<number>;

  constructor(clock: Clock) {
    this.#disks = new TtlCache(clock, FRESH_MS);
  }

  async read(folder: string): Promise<ResourceReading> {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const diskPercent = await this.#disks.ask(folder, () => readDisk(folder));
    return { memoryPercent: (used * 100) / limit, diskPercent };
  }
}

async function readDisk(folder: string): Promise<number> {
  try {
    const { blocks, bavail } = await statfs(folder);
    return blocks === 0 ? 0 : ((blocks - bavail) * 100) / blocks;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A folder that is gone, or a file system that does not say.
    if (code === 'ENOENT' || code === 'ENOSYS' || code === 'EACCES') return 0;
    throw error;
  }
}
