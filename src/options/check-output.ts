import { invalidRequest } from '../errors/typed-error.js';
import { type SchemaChecks, parseOutput } from '../output/schema-checks.js';
import { isPlainObject } from '../platform/json.js';
import type { ResolvedOptions } from '../storage/shapes/stored-options.js';

/**
 * Checks the object that a turn is to end with. Unlike other options a wrong one is no less than a
 * refusal: its client could do nothing with a text.
 *
 * @throws TypedError INVALID_REQUEST with the JSON pointer of the fault; also beside citations, which the
 * provider does not take with a format.
 */
export async function checkOutput(
  opts: unknown,
  { output, citations }: Pick<ResolvedOptions, 'output' | 'citations'>,
  checks: Pick<SchemaChecks, 'compile'>,
): Promise<void> {
  const given = asksForOutput(opts) ? parseOutput(opts.output) : undefined;
  if (given !== undefined && 'fault' in given) {
    const pointer = `/opts/output${given.pointer}`;
    throw invalidRequest(`opts.output must be ${given.fault}.`, { pointer });
  }
  if (output === undefined) return;
  try {
    await checks.compile(output.schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidRequest(`The schema of the turn's output cannot be compiled: ${reason}.`, {
      pointer: '/opts/output/schema',
    });
  }
  if (!citations) return;
  throw invalidRequest(
    'A turn that cites files cannot end with an object. Send opts.citations false, or no opts.output.',
    { pointer: '/opts/citations' },
  );
}

/** Whether a request names the object that its turn is to end with. */
export function asksForOutput(opts: unknown): opts is { output: unknown } {
  return isPlainObject(opts) && opts['output'] !== undefined;
}
