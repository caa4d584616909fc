import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isWithin } from '../../platform/is-within.js';
import type { GlobPattern } from './glob-pattern.js';

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const deepest = 40;
/**
 * Work after which the event loop gets a turn: characters of names times segments they are matched
 * with.
 */
const sliceWork = 20_000;

export interface PathSearch {
  /** Absolute folder to search in, without links. */
  root: string;
  /** Pattern of paths below the root. */
  pattern: GlobPattern;
  /** Folders and files that are left out, with all in them; absolute, without links. */
  hidden: readonly string[];
  signal: AbortSignal;
  /** Most entries that are visited. Default: 50,000. */
  mostEntries?: number;
  /** Most work, in characters times segments. Default: 50 million. */
  mostWork?: number;
}

export interface FoundPaths {
  /** Absolute paths of files. */
  paths: string[];
  /** Number of visited entries, when a limit ended the search. */
  stoppedAfter?: number;
}

/**
 * Finds the files whose paths match a pattern. Links are neither followed nor found; `.git`,
 * `node_modules` and folders that cannot be read are left out. The work is bounded, and the event loop
 * gets its turns meanwhile.
 *
 * @throws the signal's reason.
 */
export async function findPaths(search: PathSearch): Promise<FoundPaths> {
  const { root, pattern, signal, mostEntries = 50_000, mostWork = 50_000_000 } = search;
  const paths: string[] = [];
  const folders: Visited[] = [{ path: root, states: pattern.start, depth: 0 }];
  let [entries, work, sinceBreak] = [0, 0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of entriesOf(folder.path)) {
      signal.throwIfAborted();
      entries += 1;
      const cost = entry.name.length * folder.states.size;
      work += cost;
      sinceBreak += cost;
      if (entries > mostEntries || work > mostWork) return { paths, stoppedAfter: entries - 1 };
      if (sinceBreak > sliceWork) {
        sinceBreak = 0;
        await setImmediate();
      }
      const found = visit(entry, folder, search);
      if (found === undefined) continue;
      if (entry.isDirectory()) folders.push(found);
      else if (pattern.accepts(found.states)) paths.push(found.path);
    }
  }
  signal.throwIfAborted();
  return { paths };
}

/** A folder or a file, and the states of the pattern after its path. */
interface Visited {
  path: string;
  states: ReadonlySet<number>;
  depth: number;
}

/** Visits an entry; undefined when neither it nor anything in it can match. */
function visit(
  entry: Dirent,
  folder: Visited,
  { pattern, hidden }: PathSearch,
): Visited | undefined {
  if (skipped.has(entry.name) || folder.depth >= deepest) return undefined;
  if (!entry.isDirectory() && !entry.isFile()) return undefined;
  const states = pattern.advance(folder.states, entry.name);
  if (states.size === 0) return undefined;
  const path = join(folder.path, entry.name);
  if (hidden.some((one) => isWithin(one, path))) return undefined;
  return { path, states, depth: folder.depth + 1 };
}

/** The entries of a folder; none when it cannot be read, or is gone. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  const folder = await opendir(path, { bufferSize: 256 }).catch(() => undefined);
  if (folder !== undefined) yield* folder;
}
