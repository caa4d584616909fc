import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isWithin } from '../../platform/is-within.js';
import type { GlobPattern } from './glob-pattern.js';

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const deepest = 40;
/** Characters of names that are compared before others get their turn, each once for each place of the pattern. */
const sliceWork = 20_000;

export interface PathSearch {
  /** Absolute, without links. */
  root: string;
  /** Of paths below it. */
  pattern: GlobPattern;
  /** Folders and files that are left out with what is in them, absolute and without links. */
  hidden: readonly string[];
  signal: AbortSignal;
  /** Entries that are looked at, at most; default 50,000. */
  mostEntries?: number;
  /** Characters that are compared, at most; default 50 million. */
  mostWork?: number;
}

export interface FoundPaths {
  /** Of files, absolute. */
  paths: string[];
  /** Entries that were looked at, where the search stopped before its end. */
  stoppedAfter?: number;
}

/**
 * The files whose paths fit a pattern. Links are neither followed nor found; `.git` and `node_modules`
 * are left out, and so are folders that cannot be read. What it may cost is counted, and everything
 * else of the process has its turn meanwhile.
 *
 * @throws the signal's reason.
 */
export async function findPaths(search: PathSearch): Promise<FoundPaths> {
  const { root, pattern, signal, mostEntries = 50_000, mostWork = 50_000_000 } = search;
  const paths: string[] = [];
  const folders: Folder[] = [{ path: root, at: pattern.start, depth: 0 }];
  let [entries, work, sinceBreak] = [0, 0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of entriesOf(folder.path)) {
      signal.throwIfAborted();
      entries += 1;
      const cost = entry.name.length * folder.at.size;
      work += cost;
      sinceBreak += cost;
      if (entries > mostEntries || work > mostWork) return { paths, stoppedAfter: entries - 1 };
      if (sinceBreak > sliceWork) {
        sinceBreak = 0;
        await setImmediate();
      }
      const found = look(entry, folder, search);
      if (found === undefined) continue;
      if (entry.isDirectory()) folders.push(found);
      else if (pattern.fits(found.at)) paths.push(found.path);
    }
  }
  signal.throwIfAborted();
  return { paths };
}

/** A folder, or a file in the same words, and where the pattern is after its path. */
interface Folder {
  path: string;
  at: ReadonlySet<number>;
  depth: number;
}

/** Undefined: neither it nor anything in it is looked for. */
function look(entry: Dirent, folder: Folder, { pattern, hidden }: PathSearch): Folder | undefined {
  if (skipped.has(entry.name) || folder.depth >= deepest) return undefined;
  if (!entry.isDirectory() && !entry.isFile()) return undefined;
  const at = pattern.after(folder.at, entry.name);
  if (at.size === 0) return undefined;
  const path = join(folder.path, entry.name);
  if (hidden.some((one) => isWithin(one, path))) return undefined;
  return { path, at, depth: folder.depth + 1 };
}

/** None of a folder that cannot be read, or is gone. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  const folder = await opendir(path, { bufferSize: 256 }).catch(() => undefined);
  if (folder !== undefined) yield* folder;
}
