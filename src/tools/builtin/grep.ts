import { join, relative, resolve, sep } from 'node:path';
import { betaGrepTool, resolvePath } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { hiddenFrom, type OwnPaths } from '../../governance/permissions/own-paths.js';
import { isWithin } from '../../platform/is-within.js';
import { LoopShare } from '../../platform/async/loop-share.js';
import { fromRunnable } from '../from-runnable.js';
import type { ToolDefinition } from '../tool.js';
import { boundSearch } from './bound-search.js';

/** Characters of a path that a system opens. */
const LONGEST_PATH = 4_200;
/** Candidate paths of one line, which a file name may have multiplied on purpose. */
const MOST_PATHS = 16;
/** Lines matched with rules in one turn of the event loop. */
const linesPerTurn = 4;

const sdkGrep = fromRunnable(({ workdir }) => betaGrepTool({ workdir }), {
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'path', kind: 'path' },
});

/** The SDK's search (ripgrep where there is one), with paths relative to the workdir. */
export const grepTool: ToolDefinition = {
  ...sdkGrep,
  // Grep shows contents.
  deniedWith: ['read'],
  open: (context) => {
    const grep = sdkGrep.open(context);
    return {
      run: async (input, call) => {
        const found = await boundSearch(call, context, (bounded) => grep.run(input, bounded));
        // The SDK prints the workdir as given, or resolved where the input has a path.
        const base = await resolvePath({ workdir: context.workdir }, '.');
        const roots = [resolve(context.workdir), base];
        const hidden = hiddenBelow(base, context.ownPaths);
        const isDenied = (path: string): boolean =>
          context.isDenied?.(grepTool, spellingsOf(path, roots)) === true;
        const lines = found.split('\n');
        // A hundred rules about each of thousands of lines take seconds.
        const share = new LoopShare(linesPerTurn);
        const shown = await leaveOut(lines, roots, async (line) => {
          await share.next();
          call.signal.throwIfAborted();
          return isHidden(line, roots, hidden) || pathsIn(line).some(isDenied);
        });
        if (shown.length < lines.length && shown.every((line) => line === '')) return 'no matches';
        return cutResults(
          shown.map((line) => withoutRoot(line, roots)),
          context.mostResults,
        );
      },
    };
  },
};

function cutResults(lines: readonly string[], most = lines.length): string {
  const found = lines.filter((line) => line !== '');
  if (found.length <= most) return lines.join('\n');
  const note = `[${most} of ${found.length} lines shown: narrow the pattern or the path]`;
  return [...found.slice(0, most), note].join('\n');
}

/**
 * Hidden paths relative to the project root, as a workdir that is a link is searched by its own
 * name.
 */
function hiddenBelow(base: string, ownPaths: OwnPaths | undefined): string[] {
  if (ownPaths === undefined) return [];
  const below = hiddenFrom(ownPaths, [base]).filter((one) => isWithin(base, one));
  return below.map((one) => relative(base, one));
}

/** Whether a line is of a hidden file: the search itself cannot leave out a folder. */
function isHidden(line: string, roots: readonly string[], hidden: readonly string[]): boolean {
  return roots.some((root) =>
    hidden.some((one) => {
      const path = resolve(root, one);
      return line.startsWith(path + sep) || line.startsWith(`${path}:`);
    }),
  );
}

/**
 * Lines without those of files that are left out. A file name may contain a line feed: a line that begins
 * in no root belongs to the file of the line before.
 */
async function leaveOut(
  lines: readonly string[],
  roots: readonly string[],
  isOut: (line: string) => Promise<boolean>,
): Promise<string[]> {
  const shown: string[] = [];
  let isLastOut = false;
  for (const line of lines) {
    const isFile = roots.some((root) => line.startsWith(root + sep));
    isLastOut = isFile ? await isOut(line) : isLastOut && line !== '';
    if (!isLastOut) shown.push(line);
  }
  return shown;
}

/**
 * The paths that a line may belong to: the path ends before some `:<number>:`, and may contain such text
 * itself.
 */
function pathsIn(line: string): string[] {
  const head = line.slice(0, LONGEST_PATH);
  const ends = [...head.matchAll(/:\d+:/g)].slice(0, MOST_PATHS).map(({ index }) => index);
  return ends.length === 0 ? [head] : ends.map((end) => head.slice(0, end));
}

function spellingsOf(path: string, roots: readonly string[]): string[] {
  const below = withoutRoot(path, roots);
  return below === path ? [path] : roots.map((root) => join(root, below));
}

function withoutRoot(line: string, roots: readonly string[]): string {
  const root = roots.find((one) => line.startsWith(one + sep));
  return root === undefined ? line : line.slice(root.length + sep.length);
}
