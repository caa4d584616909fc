import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { linkAbort } from '../../platform/abort.js';
import { isWithin } from '../../platform/is-within.js';
import { ToolFailure } from '../calls/tool-failure.js';
import type { ToolCall } from '../tool.js';

/** Of a search without ripgrep, in ms. */
const deadlineMs = 10_000;

export interface SearchBounds {
  /** Of the session: a ripgrep inside of it is not run. */
  workdir: string;
  /** In ms; default 10 s. */
  timeoutMs?: number;
}

/**
 * Runs the SDK's search. Ripgrep takes linear time. Where it is not installed, the SDK matches by
 * JavaScript's expressions on a thread of its own, and one of them may backtrack for ever: the
 * thread is ended at a deadline.
 *
 * @throws ToolFailure after the deadline; what the search throws.
 */
export async function boundSearch<T>(
  call: ToolCall,
  { workdir, timeoutMs: deadline = deadlineMs }: SearchBounds,
  search: (bounded: ToolCall) => Promise<T>,
): Promise<T> {
  if (await hasRipgrep(workdir)) return search(call);
  const stop = new AbortController();
  const unlink = linkAbort(call.signal, stop);
  const late = new ToolFailure(
    `grep: stopped after ${deadline} ms: this server searches without ripgrep. Narrow the path, or use a simpler pattern.`,
  );
  const timer = setTimeout(() => stop.abort(late), deadline);
  try {
    return await search({ ...call, signal: stop.signal });
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Whether the SDK finds it: it looks through the same variable of the process. */
async function hasRipgrep(workdir: string): Promise<boolean> {
  const inside = await realpath(workdir).catch(() => workdir);
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => isAbsolute(one));
  const found = await Promise.all(
    folders.map(async (folder) => {
      try {
        const file = await realpath(join(folder, 'rg'));
        await access(file, constants.X_OK);
        return !isWithin(inside, file);
      } catch {
        return false;
      }
    }),
  );
  return found.includes(true);
}
