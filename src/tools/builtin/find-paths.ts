import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { canonicalize, fsErrorMessage } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { closing, FolderHandle } from '../../platform/files/folder-handle.js';
import { unlessGone } from '../../platform/error-code.js';
import { LoopShare } from '../../platform/async/batcher.js';
import { isWithin } from '../../platform/is-within.js';
import { denyOwnPath, hiddenFrom } from '../../governance/permissions/own-paths.js';
import { resolveLinks } from '../calls/call-paths.js';
import { ToolFailure, type ToolContext, type ToolDefinition } from '../tool.js';
import type { GlobPattern } from './glob-pattern.js';

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const MAX_DEPTH = 40;
/**
 * Work after which the event loop gets a turn: characters of names times segments they are matched
 * with.
 */
const sliceWork = 20_000;
/** Files that are asked about in one turn of the event loop: a hundred rules about thousands of them take seconds. */
const filesPerTurn = 16;

export interface PathSearch {
  /** Absolute folder to search in, without links. */
  root: string;
  /** Pattern of paths below the root. */
  pattern: GlobPattern;
  /** Folders and files that are left out, with all in them; absolute, without links. */
  hidden: readonly string[];
  /** Whether a file that fits is left out. */
  isOut(path: string): boolean;
  signal: AbortSignal;
  /** Most entries that are visited. Default: 50,000. */
  maxEntries?: number;
  /** Most work, in characters times segments. Default: 50 million. */
  maxWork?: number;
}

export interface FoundFile {
  /** Absolute. */
  path: string;
  stats: Stats;
}

export interface FoundPaths {
  files: FoundFile[];
  /** Number of files that fit and were left out, as `isOut` says. */
  leftOut: number;
  /** Number of visited entries, when a limit ended the search. */
  stoppedAfter?: number;
}

/**
 * Finds the files whose paths match a pattern. Links are neither followed nor found; `.git`,
 * `node_modules` and folders that cannot be read are left out. Each folder is opened from the root on, so that one that
 * is exchanged for a link meanwhile leads nowhere else. The work is bounded, and the event loop gets its turns meanwhile.
 *
 * @throws the signal's reason.
 */
export async function findPaths(search: PathSearch): Promise<FoundPaths> {
  const { pattern, isOut, signal, maxEntries = 50_000, maxWork = 50_000_000 } = search;
  const files: FoundFile[] = [];
  const share = new LoopShare(filesPerTurn);
  let [entries, work, sinceBreak, leftOut] = [0, 0, 0, 0];
  /** @returns whether a limit ended the search. */
  const list = async (folder: Visited, held: FolderHandle): Promise<boolean> => {
    for await (const entry of held.entries()) {
      signal.throwIfAborted();
      entries += 1;
      const cost = entry.name.length * folder.states.size;
      work += cost;
      sinceBreak += cost;
      if (entries > maxEntries || work > maxWork) return true;
      if (sinceBreak > sliceWork) {
        sinceBreak = 0;
        await setImmediate();
      }
      const found = visit(entry, folder, search);
      if (found === undefined) continue;
      if (entry.isDirectory()) folders.push(found);
      if (entry.isDirectory() || !pattern.accepts(found.states)) continue;
      await share.next();
      if (isOut(found.path)) {
        leftOut += 1;
        continue;
      }
      const stats = await unlessGone(lstat(held.at(entry.name)));
      if (stats?.isFile() === true) files.push({ path: found.path, stats });
    }
    return false;
  };
  const folders: Visited[] = [{ path: search.root, states: pattern.start, depth: 0 }];
  const root = await unlessGone(FolderHandle.open(search.root));
  if (root === undefined) return { files, leftOut };
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const held = await unlessGone(root.open(folder.path));
      if (held === undefined) continue;
      const visited = folder;
      const isStopped = await closing(held, () => unlessGone(list(visited, held)));
      if (isStopped === true) return { files, leftOut, stoppedAfter: entries - 1 };
    }
  } finally {
    await root.close();
  }
  signal.throwIfAborted();
  return { files, leftOut };
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
  if (skipped.has(entry.name) || folder.depth >= MAX_DEPTH) return undefined;
  if (!entry.isDirectory() && !entry.isFile()) return undefined;
  const states = pattern.advance(folder.states, entry.name);
  if (states.size === 0) return undefined;
  const path = join(folder.path, entry.name);
  if (hidden.some((one) => isWithin(one, path))) return undefined;
  return { path, states, depth: folder.depth + 1 };
}

/** A path that a tool may open, absolute and without links. */
export interface LocatedPath {
  path: string;
  /** The project root, without links. */
  base: string;
}

/**
 * Resolves the links of a path and judges the result: links may have changed since the rules judged the call. Callers
 * must open the result without following a link, as `FolderHandle` does.
 *
 * @param requested absolute, or relative to the workdir.
 * @throws ToolFailure for a path outside of the workdir, of the server's own, or that is denied.
 */
export async function locatePath(
  tool: Pick<ToolDefinition, 'name' | 'effect' | 'deniedWith'>,
  requested: string,
  { workdir, ownPaths, others, isDenied }: ToolContext,
): Promise<LocatedPath> {
  const shown = `path ${JSON.stringify(requested)}`;
  // A workdir of a server with principals has no links: one that has become a link is not followed.
  const base = others === undefined ? await resolveLinks(resolve(workdir)) : workdir;
  const path = await canonicalize(resolve(base, requested)).catch((error: unknown) => {
    throw new ToolFailure(fsErrorMessage(error, shown), { cause: error });
  });
  if (!isWithin(base, path)) {
    throw new ToolFailure(`${shown} is outside the session's working directory`);
  }
  const argument = { kind: 'path', texts: [path], roots: [base] };
  const denial =
    ownPaths === undefined ? undefined : denyOwnPath(ownPaths, { effect: tool.effect, argument });
  if (denial !== undefined) throw new ToolFailure(denial);
  if (isDenied?.(tool, spellingsOf(path, base, workdir)) === true) {
    throw new ToolFailure(`permission denied: the rules deny ${tool.name} what ${shown} leads to`);
  }
  return { path, base };
}

/** Where a tool searches, and what it leaves out. */
export type SearchRoot = Pick<PathSearch, 'root' | 'hidden' | 'isOut'> & Pick<LocatedPath, 'base'>;

/** The rules of a search below a path that exists. Pure. */
export function searchRoot(
  tool: Pick<ToolDefinition, 'name' | 'effect' | 'deniedWith'>,
  located: LocatedPath,
  context: ToolContext,
): SearchRoot {
  const { workdir, ownPaths, isDenied } = context;
  const { path: root, base } = located;
  return {
    root,
    base,
    hidden: ownPaths === undefined ? [] : hiddenFrom(ownPaths, [base]),
    isOut: (file) => isDenied?.(tool, spellingsOf(file, base, workdir)) === true,
  };
}

/** Spellings of a path: below the project root as resolved and as written. */
function spellingsOf(path: string, base: string, workdir: string): string[] {
  return [path, join(workdir, relative(base, path))];
}
