import { accessSync, constants, createReadStream } from 'node:fs';
import type { ImportReport } from '../../client/turnpike-client.js';
import { errorCode } from '../../platform/error-code.js';
import type { StoredData } from '../../server/open-stored-data.js';
import { runOnData } from '../data/run-on-data.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { plural } from '../terminal/screen.js';

const options = {
  principal: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/**
 * `turnpike import FILE`: stores the sessions of an export that are not there yet. `-` is standard input.
 *
 * @returns the exit code: 0; 1 when it failed; 2 for a wrong call.
 */
export function importCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values, positionals } = parseCall(args, { options, allowPositionals: true });
    const { principal, json, url } = values;
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError('turnpike import FILE');
    if (file !== '-') checkReadable(file);
    const run = async (data: StoredData): Promise<number> => {
      const bytes = file === '-' ? process.stdin : createReadStream(file);
      const report = await data.import(bytes, { principal });
      process.stdout.write(`${json ? JSON.stringify(report) : describe(report)}\n`);
      return 0;
    };
    return { url, mayCreate: true, run };
  });
}

/** Before a store is opened, or made, for it. @throws UsageError. */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorCode(error) ?? String(error)}`);
  }
}

function describe(report: ImportReport): string {
  const { imported, skipped, interruptedTurns, importedMemoryFiles, skippedMemoryFiles } = report;
  return [
    `${plural(imported, 'session')} imported`,
    ...(skipped === 0 ? [] : [`${plural(skipped, 'session')} skipped, which were there already`]),
    ...(interruptedTurns === 0
      ? []
      : [`${plural(interruptedTurns, 'turn')} marked as interrupted, as they had not ended`]),
    ...(importedMemoryFiles === 0
      ? []
      : [`${plural(importedMemoryFiles, 'memory file')} imported`]),
    ...(skippedMemoryFiles === 0
      ? []
      : [`${plural(skippedMemoryFiles, 'memory file')} skipped, whose path is taken`]),
  ].join(', ');
}
