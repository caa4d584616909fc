import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { resolvePath } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import pLimit from 'p-limit';
import { hiddenFrom } from '../../governance/permissions/own-paths.js';
import { isWithin } from '../../platform/is-within.js';
import { LoopShare } from '../../platform/async/loop-share.js';
import { ToolFailure } from '../tool-failure.js';
import type { ToolDefinition } from '../tool.js';
import { findPaths, type PathSearch } from './find-paths.js';
import { GlobPattern } from './glob-pattern.js';

const resultLimit = 200;
const parallelStats = 32;
/** Paths matched with rules in one turn of the event loop. */
const pathsPerTurn = 16;

interface Match {
  path: string;
  mtimeMs: number;
}

/** A glob with the schema, confinement, order and limits of the SDK's own, which needs Node 22. */
export const globTool: ToolDefinition = {
  name: 'glob',
  description:
    'Match files under the workdir against a glob pattern. Results are mtime-sorted, newest first, with paths relative to the workdir. Hidden files match; .git and node_modules are skipped.',
  inputSchema: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1 },
      path: { type: 'string', description: 'Directory to search in. Defaults to the workdir.' },
    },
    required: ['pattern'],
  },
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'path', kind: 'path' },
  open: ({ workdir, ownPaths, isDenied, mostResults = resultLimit }) => ({
    run: async (input, { signal }) => {
      const pattern = checkPattern(input['pattern']);
      const base = await resolvePath({ workdir }, '.');
      const path = input['path'];
      const root = typeof path === 'string' ? await resolvePath({ workdir }, path) : base;
      const hidden = ownPaths === undefined ? [] : hiddenFrom(ownPaths, [base]);
      const { matches: found, stoppedAfter } = await findFiles({ pattern, root, hidden, signal });
      const matches: Match[] = [];
      // A hundred rules about each of thousands of files take seconds.
      const share = new LoopShare(pathsPerTurn);
      for (const match of found) {
        await share.next();
        signal.throwIfAborted();
        const isOut = isDenied?.(globTool, spellingsOf(match.path, base, workdir)) === true;
        if (!isOut) matches.push(match);
      }
      return toText(matches, { base, stoppedAfter, most: Math.min(mostResults, resultLimit) });
    },
  }),
};

/** @throws ToolFailure for a pattern that could leave its start directory, or is not valid. */
function checkPattern(pattern: unknown): GlobPattern {
  if (typeof pattern !== 'string') throw new ToolFailure('glob: pattern is required');
  if (isAbsolute(pattern)) {
    throw new ToolFailure('glob: use a relative pattern, and path for the directory to search in');
  }
  if (pattern.split(/[\\/{},()|!]/).includes('..')) {
    throw new ToolFailure('glob: ".." is not permitted in the pattern');
  }
  try {
    return new GlobPattern(pattern);
  } catch (error) {
    if (error instanceof RangeError)
      throw new ToolFailure(`glob: the pattern is refused: ${error.message}`);
    throw error;
  }
}

async function findFiles(
  search: PathSearch,
): Promise<{ matches: Match[]; stoppedAfter: number | undefined }> {
  const { root, hidden } = search;
  const { paths, stoppedAfter } = await findPaths(search);
  const limit = pLimit(parallelStats);
  const found = await Promise.all(paths.map((path) => limit(() => fileInside(root, path, hidden))));
  const matches = found.filter((match) => match !== undefined);
  return { matches, stoppedAfter };
}

/**
 * The match, unless the path is no file, is hidden, cannot be resolved, or lies outside `root` once
 * every link is resolved: a folder may become a link after it was listed.
 */
async function fileInside(
  root: string,
  path: string,
  hidden: readonly string[],
): Promise<Match | undefined> {
  const file = await resolveFile(path).catch(() => undefined);
  if (file === undefined || !file.stats.isFile()) return undefined;
  if (hidden.some((one) => isWithin(one, file.real))) return undefined;
  const inside = file.real.startsWith(root.endsWith(sep) ? root : root + sep);
  return inside ? { path, mtimeMs: file.stats.mtimeMs } : undefined;
}

async function resolveFile(path: string): Promise<{ real: string; stats: Stats }> {
  const real = await realpath(path);
  return { real, stats: await stat(real) };
}

/** Spellings of a path: below the project root as resolved and as written. */
function spellingsOf(file: string, base: string, workdir: string): string[] {
  return [file, join(workdir, relative(base, file))];
}

function toText(
  matches: Match[],
  about: { base: string; stoppedAfter: number | undefined; most: number },
): string {
  const lines = matches
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1))
    .slice(0, about.most)
    .map((match) => relative(about.base, match.path));
  if (lines.length === 0) lines.push('no matches');
  if (matches.length > about.most) {
    lines.push(
      `[${about.most} of ${matches.length} matches shown: narrow the pattern or the path]`,
    );
  }
  if (about.stoppedAfter !== undefined) {
    lines.push(
      `[search stopped after ${about.stoppedAfter} entries: narrow the pattern or the path]`,
    );
  }
  return lines.join('\n');
}
