import { lstat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { unlessGone } from '../../platform/error-code.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';
import { findPaths, type FoundFile } from './find-paths.js';
import { GlobPattern } from './glob-pattern.js';
import { locateSearch, nameInstead } from './look-alikes.js';

const resultLimit = 200;

/** A glob with the schema, confinement, order and limits of the SDK's own, which matches by expressions that backtrack. */
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
  open: (context) => ({
    run: async (input, { signal }) => {
      const pattern = checkPattern(input['pattern']);
      const { base, instead, ...where } = await locateSearch(globTool, input['path'], context);
      if (!(await isFolder(where.root))) {
        throw new ToolFailure(
          `glob: ${JSON.stringify(input['path'])} is a file: name the folder to search in`,
        );
      }
      const { files, stoppedAfter } = await findPaths({ pattern, ...where, signal });
      const maxShown = Math.min(context.maxResults ?? resultLimit, resultLimit);
      return nameInstead({ instead }, toText(files, { base, stoppedAfter, maxShown }));
    },
  }),
};

/** Whether a path is no file. A folder that is gone meanwhile counts, and has no matches. */
async function isFolder(root: string): Promise<boolean> {
  return (await unlessGone(lstat(root)))?.isDirectory() !== false;
}

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

function toText(
  matches: FoundFile[],
  about: { base: string; stoppedAfter: number | undefined; maxShown: number },
): string {
  const lines = matches
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs || (a.path < b.path ? -1 : 1))
    .slice(0, about.maxShown)
    .map((match) => relative(about.base, match.path));
  if (lines.length === 0) lines.push('no matches');
  if (matches.length > about.maxShown) {
    lines.push(
      `[${about.maxShown} of ${matches.length} matches shown: narrow the pattern or the path]`,
    );
  }
  if (about.stoppedAfter !== undefined) {
    lines.push(
      `[search stopped after ${about.stoppedAfter} entries: narrow the pattern or the path]`,
    );
  }
  return lines.join('\n');
}
