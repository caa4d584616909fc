import { createContext, Script } from 'node:vm';
import { errorCode } from './error-code.js';

const script = new Script('run()');
const context = createContext({ run: undefined });

/** The error of work that took longer than its time. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
}

/**
 * Runs synchronous code that others had a part in, as a pattern or a schema, and stops it after a time:
 * also in the middle of a loop or of a match. No call may be inside another.
 *
 * @throws TooLongError after `ms` milliseconds, and what the code throws.
 */
export function runBounded<T>(run: () => T, ms: number): T {
  const results: T[] = [];
  context['run'] = () => void results.push(run());
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    const isTimeout = errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw isTimeout ? new TooLongError(`it took longer than ${ms} ms`) : error;
  } finally {
    context['run'] = undefined;
  }
  const [result] = results;
  return result as T;
}
