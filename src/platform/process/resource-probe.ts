import { statfs } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../clock.js';
import { errorCode } from '../error-code.js';
import { TtlCache } from '../async/ttl-cache.js';

/** TTL of a measurement of a disk, in ms. */
const FRESH_MS = 10_000;

export interface ResourceUse {
  /** Used part of the heap that this process may have. */
  memoryPercent: number;
  /** Used part of the folder's disk; 0 where the system does not say. */
  diskPercent: number;
}

/** Measures the memory of this process, and disks at most every ten seconds. */
export class ResourceProbe {
  readonly #disks: TtlCache<number>;

  constructor(clock: Clock) {
    this.#disks = new TtlCache(clock, FRESH_MS);
  }

  async measure(folder: string): Promise<ResourceUse> {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const diskPercent = await this.#disks.get(folder, () => measureDisk(folder));
    return { memoryPercent: (used * 100) / limit, diskPercent };
  }
}

async function measureDisk(folder: string): Promise<number> {
  try {
    const { blocks, bavail } = await statfs(folder);
    return blocks === 0 ? 0 : ((blocks - bavail) * 100) / blocks;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (['ENOENT', 'ENOSYS', 'EACCES'].includes(code)) return 0;
    throw error;
  }
}
