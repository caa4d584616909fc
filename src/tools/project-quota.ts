import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../platform/clock.js';
import { closing, FolderHandle } from '../platform/files/folder-handle.js';
import { unlessGone } from '../platform/error-code.js';
import { ToolFailure, type FolderQuota } from './tool.js';

const MIB = 1024 * 1024;
/** Bytes that each file and folder takes at least: so many that are empty fill a disk too. */
const ENTRY_BYTES = 4_096;
/** Bytes of one block of `stat`. */
const BLOCK_BYTES = 512;
/** Age of a measurement that is used again, and the least time between two, in ms. */
const FRESH_MS = 2_000;
/** Part of the time that is spent on measuring a large folder, at most: one of so many. */
const SPARING = 20;

export interface QuotaOptions {
  /** The folder that is bounded: absolute, without links. */
  folder: string;
  maxMb: number;
  clock: Clock;
}

/** The quota of a folder that the server made for a principal. All turns of a process share that of a folder. */
export class ProjectQuota implements FolderQuota {
  #used: Promise<number> | undefined;
  #measuredAt = 0;
  #freshMs = FRESH_MS;

  constructor(private readonly options: QuotaOptions) {}

  async reserve(tool: string, bytes: number): Promise<void> {
    const used = await this.#measure();
    if (bytes > 0 && used + bytes > this.#most) {
      throw new ToolFailure(`${tool}: nothing was written. ${this.#explain(used)}`);
    }
    this.#used = Promise.resolve(used + bytes);
  }

  async watch<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = await this.#measure();
    const full = new AbortController();
    let stop = (): void => undefined;
    const scheduleMeasure = (): void => {
      stop = this.options.clock.after(this.#freshMs, () => void look());
    };
    const look = async (): Promise<void> => {
      const used = await this.#measure();
      if (full.signal.aborted) return;
      if (used <= this.#most || used <= before) return scheduleMeasure();
      full.abort(new ToolFailure(`bash: the command was stopped. ${this.#explain(used)}`));
    };
    scheduleMeasure();
    try {
      return await work(AbortSignal.any([signal, full.signal]));
    } finally {
      stop();
      // A look that is under way looks no more.
      full.abort();
    }
  }

  get #most(): number {
    return this.options.maxMb * MIB;
  }

  #explain(used: number): string {
    const mb = Math.ceil(used / MIB);
    return `PROJECT_FULL: your project folders have ${mb} of ${this.options.maxMb} MiB (TURNPIKE_PROJECT_MB). Delete files, then try again.`;
  }

  async #measure(): Promise<number> {
    const { folder, clock } = this.options;
    const begun = clock.now();
    if (this.#used === undefined || begun - this.#measuredAt >= this.#freshMs) {
      this.#measuredAt = begun;
      this.#used = measureFolder(folder).then((used) => {
        this.#freshMs = Math.max(FRESH_MS, SPARING * (clock.now() - begun));
        return used;
      });
    }
    return this.#used;
  }
}

/** The bytes that a folder takes on its disk. A file with several names counts in parts. */
export async function measureFolder(folder: string): Promise<number> {
  const root = await unlessGone(FolderHandle.open(folder));
  if (root === undefined) return 0;
  let bytes = 0;
  const folders = [folder];
  const measure = async (one: string, held: FolderHandle): Promise<void> => {
    for await (const { name } of held.entries()) {
      const stats = await unlessGone(lstat(held.at(name)));
      if (stats === undefined) continue;
      if (stats.isDirectory()) folders.push(path.join(one, name));
      const parts = stats.isDirectory() ? 1 : stats.nlink;
      bytes += Math.max(stats.blocks * BLOCK_BYTES, ENTRY_BYTES) / Math.max(1, parts);
    }
  };
  await closing(root, async () => {
    for (let one = folders.pop(); one !== undefined; one = folders.pop()) {
      const held = await unlessGone(root.open(one));
      const visited = one;
      if (held !== undefined) await closing(held, () => unlessGone(measure(visited, held)));
    }
  });
  return Math.ceil(bytes);
}
