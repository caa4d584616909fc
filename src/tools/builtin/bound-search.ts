import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { systemClock } from '../../platform/clock.js';
import { isWithin } from '../../platform/is-within.js';
import { withDeadline } from '../../platform/async/with-deadline.js';
import { ToolFailure } from '../tool-failure.js';
import type { ToolCall } from '../tool.js';

/** Time limit of a search without ripgrep, in ms. */
const searchMs = 10_000;

export interface SearchBounds {
  /** The session's workdir: a ripgrep inside of it is not run. */
  workdir: string;
  /** Time limit of a search without ripgrep, in ms. Default: 10,000. */
  timeoutMs?: number;
}

/**
 * Runs the SDK's search. Ripgrep takes linear time. Without it the SDK matches with JavaScript's regular
 * expressions on a thread of its own, where an expression may backtrack for ever: a deadline ends the
 * thread.
 *
 * @throws ToolFailure after the deadline; what the search throws.
 */
export async function boundSearch<T>(
  call: ToolCall,
  { workdir, timeoutMs: ms = searchMs }: SearchBounds,
  search: (bounded: ToolCall) => Promise<T>,
): Promise<T> {
  if (await hasRipgrep(workdir)) return search(call);
  const reason = new ToolFailure(
    `grep: stopped after ${ms} ms: this server searches without ripgrep. Narrow the path, or use a simpler pattern.`,
  );
  return withDeadline(systemClock, { ms, reason, outer: call.signal }, (signal) =>
    search({ ...call, signal }),
  );
}

/** Whether the SDK finds ripgrep, through the same PATH of the process. */
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
