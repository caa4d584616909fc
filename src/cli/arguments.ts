import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../platform/parsing/nearest-name.js';

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
    throw new UsageError(explain(error, Object.keys(config.options ?? {})));
  }
}

/** What is wrong with a call, without the parser's advice, which is about programs. */
function explain(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
  if (unknown !== undefined) {
    const near = nearestName(unknown.replace(/^-+/, ''), names);
    const known = names.map((name) => `--${name}`).join(', ');
    const hint =
      near === undefined ? `Options of this command: ${known}.` : `Did you mean --${near}?`;
    return `There is no option ${unknown}. ${hint} Text that begins with a dash goes after --.`;
  }
  const [, needy] =
    /^Option '([^']*?)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(message) ?? [];
  if (needy !== undefined) return `The option ${needy} needs a value.`;
  const [, extra] = /^Unexpected argument '(.*?)'\./.exec(message) ?? [];
  if (extra !== undefined)
    return `${extra} is one argument too many: this command takes options alone.`;
  return message;
}

/** The option of every command that talks to a server. */
export const serverOptions = { url: { type: 'string' } } as const;

/** The options of commands that may start a server. */
export const startOptions = { ...serverOptions, start: { type: 'boolean' } } as const;

/** A wrong call of a command; the message says what is right. */
export class UsageError extends Error {}
