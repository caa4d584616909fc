import { parentPort } from 'node:worker_threads';
import { compileObjectCheck, type InputCheck } from '../../platform/json-schema/check-input.js';
import type { JsonObject } from '../../platform/json.js';
import { runBounded, TooLongError } from '../../platform/run-bounded.js';
import type { CheckAnswer, CheckJob } from './check-lane.js';

/**
 * The entry of the threads that check values by schemas of others: a pattern may take for ever on some texts, a
 * schema on some values. `CheckLane` starts it.
 */

/** Most characters of the schemas whose checks are kept; those that were used last are. */
const keptChars = 262_144;
const kept = new Map<string, InputCheck>();
let chars = 0;

function compiled(schema: string, ms: number): InputCheck {
  const check =
    kept.get(schema) ??
    runBounded(() => compileObjectCheck(JSON.parse(schema) as JsonObject, 'the object'), ms);
  if (kept.delete(schema)) chars -= schema.length;
  kept.set(schema, check);
  chars += schema.length;
  for (const oldest of kept.keys()) {
    if (chars <= keptChars) break;
    kept.delete(oldest);
    chars -= oldest.length;
  }
  return check;
}

function answer({ schema, value, ms }: CheckJob): CheckAnswer {
  try {
    const check = compiled(schema, ms);
    if (value === undefined) return { type: 'compiled' };
    try {
      return { type: 'checked', checked: runBounded(() => check(value), ms) };
    } catch (error) {
      // A value that is too deep for its schema, which refers to itself.
      if (error instanceof RangeError) return { type: 'stopped', message: error.message };
      throw error;
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: error instanceof TooLongError ? 'stopped' : 'invalid', message };
  }
}

// What ajv itself is made of takes longer to compile than most schemas.
for (const $schema of ['', 'http://json-schema.org/draft-07/schema#']) {
  compileObjectCheck({ $schema, type: 'object' }, 'the object');
}
parentPort?.on('message', (job: CheckJob) => parentPort?.postMessage(answer(job), []));
