import { once } from 'node:events';
import { basename, dirname, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { untilAborted, withDeadline } from '../../platform/async/deadlines.js';
import { systemClock } from '../../platform/clock.js';
import { FolderHandle, readBytes } from '../../platform/files/folder-handle.js';
import { unlessGone } from '../../platform/error-code.js';
import { ToolFailure, type ToolContext, type ToolDefinition } from '../tool.js';
import { readText } from './file-text.js';
import { findPaths } from './find-paths.js';
import { GlobPattern } from './glob-pattern.js';
import { locateSearch } from './look-alikes.js';

/** Time limit of a search, in ms: an expression may backtrack for ever. */
const SEARCH_MS = 10_000;
/** Bytes of a file that is searched; larger ones are named. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Characters of the lines that are shown, and of one line. */
const OUTPUT_CHARS = 100 * 1024;
const LINE_CHARS = 2_000;
/** Files that a note names. */
const NAMED_FILES = 5;

/** Each search has a thread and a file in memory. */
const searches = pLimit(4);

/** The contents of files, searched by a thread, which may be ended. Binary files have no lines. */
export const grepTool: ToolDefinition = {
  name: 'grep',
  description:
    'Search the contents of files, line by line, for a regular expression (of JavaScript; `(?i)` at its start ignores case). Hidden files are searched; .git, node_modules and binary files are skipped.',
  inputSchema: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1 },
      path: { type: 'string', description: 'File or directory. Defaults to the workdir.' },
    },
    required: ['pattern'],
  },
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'path', kind: 'path' },
  // Grep shows contents.
  deniedWith: ['read'],
  open: (context) => ({
    run: async ({ pattern, path }, { signal }) => {
      if (typeof pattern !== 'string') throw new ToolFailure('grep: pattern is required');
      return searches(() => grep(pattern, path, { context, signal }));
    },
  }),
};

interface Search {
  context: ToolContext;
  signal: AbortSignal;
  /** Time limit in ms. Default: 10,000. */
  timeoutMs?: number;
}

/** @throws ToolFailure for a pattern that is none, and at the time limit when nothing was found until then. */
export async function grep(
  pattern: string,
  path: unknown,
  { context, signal: outer, timeoutMs: ms = SEARCH_MS }: Search,
): Promise<string> {
  outer.throwIfAborted();
  const expression = toExpression(pattern);
  const found = new Findings();
  const reason = new ToolFailure(
    `grep: stopped after ${ms} ms. Narrow the path, or use a simpler pattern.`,
  );
  const thread = new Worker(threadSource, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { expression, most: OUTPUT_CHARS, longest: LINE_CHARS },
    // A deeply nested expression needs more stack than a thread has.
    resourceLimits: { stackSizeMb: 8 },
  });
  const failed = new AbortController();
  thread.on('error', (error) => {
    failed.abort(new ToolFailure(`grep: the search failed: ${String(error)}`, { cause: error }));
  });
  try {
    const limit = { ms, reason, outer: AbortSignal.any([outer, failed.signal]) };
    await withDeadline(systemClock, limit, (signal) =>
      searchFiles(path, { context, signal, thread, found }),
    );
  } catch (error) {
    if (error !== reason || found.lines.length === 0) throw error;
    found.notes.push(`[the search was stopped after ${ms} ms: narrow the path]`);
  } finally {
    await thread.terminate();
  }
  return found.toText(context.maxResults);
}

/** @throws ToolFailure. */
function toExpression(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([imsu]+)\)(.*)$/s.exec(pattern) ?? [];
  try {
    return new RegExp(rest, flags);
  } catch (error) {
    throw new ToolFailure(`grep: ${String(error)}`, { cause: error });
  }
}

/** What was found, as the model is shown it. */
class Findings {
  readonly lines: string[] = [];
  readonly notes: string[] = [];
  readonly otherEncodings: string[] = [];
  readonly tooLarge: string[] = [];
  #left = OUTPUT_CHARS;

  /** @returns whether there is room for more. */
  add(file: string, matches: readonly Match[]): boolean {
    for (const [line, text] of matches) {
      const shown = `${file}:${line}:${text}`;
      this.#left -= shown.length + 1;
      if (this.#left < 0) {
        this.notes.push(`[output truncated at ${OUTPUT_CHARS} characters]`);
        return false;
      }
      this.lines.push(shown);
    }
    return true;
  }

  toText(most = this.lines.length): string {
    const shown = this.lines.length === 0 ? ['no matches'] : this.lines.slice(0, most);
    if (this.lines.length > most) {
      const all = this.lines.length;
      shown.push(`[${most} of ${all} lines shown: narrow the pattern or the path]`);
    }
    shown.push(...this.notes);
    if (this.otherEncodings.length > 0) {
      shown.push(`[not UTF-8, read as Windows-1252: ${nameSome(this.otherEncodings)}]`);
    }
    if (this.tooLarge.length > 0) {
      shown.push(`[over ${MAX_FILE_BYTES} bytes, not searched: ${nameSome(this.tooLarge)}]`);
    }
    return shown.join('\n');
  }
}

function nameSome(files: readonly string[]): string {
  const rest = files.length - NAMED_FILES;
  const named = files.slice(0, NAMED_FILES).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

interface Searching {
  context: ToolContext;
  signal: AbortSignal;
  thread: Worker;
  found: Findings;
}

async function searchFiles(requested: unknown, searching: Searching): Promise<void> {
  const { context, signal, thread, found } = searching;
  const { base, instead, ...where } = await locateSearch(grepTool, requested, context);
  if (instead !== undefined) found.notes.push(`[the name is ${JSON.stringify(instead)}]`);
  const pattern = new GlobPattern('**/*');
  const { files, leftOut, stoppedAfter } = await findPaths({ pattern, ...where, signal });
  if (leftOut > 0) found.notes.push(`[files that the rules deny, not searched: ${leftOut}]`);
  if (stoppedAfter !== undefined) {
    found.notes.push(`[search stopped after ${stoppedAfter} entries: narrow the path]`);
  }
  // Nothing is found in a file.
  const paths =
    files.length > 0 || where.isOut(where.root) ? files.map((one) => one.path) : [where.root];
  let folder: FolderHandle | undefined;
  try {
    for (const path of paths) {
      signal.throwIfAborted();
      if (folder?.path !== dirname(path)) {
        await folder?.close();
        folder = await unlessGone(FolderHandle.open(dirname(path)));
      }
      if (folder === undefined) continue;
      const name = relative(base, path);
      const text = await textOf(folder, path, { name, found });
      if (text === undefined) continue;
      thread.postMessage(text, []);
      const [matches] = (await untilAborted(once(thread, 'message'), signal)) as [Match[]];
      if (!found.add(name, matches)) return;
    }
  } finally {
    await folder?.close();
  }
}

type Match = readonly [line: number, text: string];

/** The text of a file; undefined for what is gone, binary or too large. */
async function textOf(
  folder: FolderHandle,
  path: string,
  { name, found }: { name: string; found: Findings },
): Promise<string | undefined> {
  const handle = await unlessGone(folder.openFile(basename(path)));
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (stats.size > MAX_FILE_BYTES) found.tooLarge.push(name);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const bytes = await readBytes(handle, stats.size);
    const read = await readText(bytes);
    if ('text' in read) return read.text;
    if (read.isBinary) return undefined;
    found.otherEncodings.push(name);
    return new TextDecoder('windows-1252').decode(bytes);
  } finally {
    await handle.close();
  }
}

/** Runs in a thread, which is ended with the search. */
const threadSource = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { expression, most, longest } = workerData;
  parentPort.on('message', (text) => {
    const matches = [];
    let chars = 0;
    let start = 0;
    for (let number = 1; start <= text.length && chars <= most; number += 1) {
      const feed = text.indexOf('\\n', start);
      const end = feed < 0 ? text.length : feed;
      const line = text.slice(start, text[end - 1] === '\\r' ? end - 1 : end);
      if ((feed >= 0 || line !== '') && expression.test(line)) {
        const shown = line.slice(0, longest);
        const rest = line.length - shown.length;
        matches.push([number, rest === 0 ? shown : shown + ' [' + rest + ' more characters]']);
        chars += shown.length;
      }
      start = end + 1;
    }
    parentPort.postMessage(matches);
  });
`;
