import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.js';

/**
 * Parses the arguments of a command.
 *
 * @param config as of `parseArgs`; without `allowPositionals` a command takes options alone.
 * @throws UsageError for an option that the command does not have, one without its value, and an argument too many.
 */
export function parseCall<T extends Omit<ParseArgsConfig, 'args'>>(
  args: readonly string[],
  config: T,
) {
  try {
    return parseArgs({ ...config, args: [...args] });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
