import {
  Command,
  Option,
  type CommandUnknownOpts,
  type ErrorOptions,
} from '@commander-js/extra-typings';
import { nearestName } from '../platform/parsing/nearest-name.js';
import { oneLine } from './terminal/screen.js';

/** The process as a command sees it. */
export interface Cli {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  /** Set by the command that ran. Default: 0. */
  exitCode: number;
}

/** A wrong call of a command; the message says what is right. */
export class UsageError extends Error {}

/** A command whose wrong calls are a UsageError, and whose help does not end the process. */
export class CliCommand extends Command {
  constructor(name?: string) {
    super(name);
    this.exitOverride();
    this.helpOption('-h, --help', 'show this help');
    this.configureHelp({ sortOptions: false, sortSubcommands: false });
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    throw new UsageError(explain(this, code, message));
  }
}

/** Explains a wrong call, in place of the library's sentence. */
function explain(command: CliCommand, code: string | undefined, message: string): string {
  const call = `${fullName(command)} ${command.usage()}`;
  const [, quoted = ''] = /'(.*)'/.exec(message) ?? [];
  switch (code ?? '') {
    case 'commander.unknownCommand':
      return noCommand(command, quoted);
    case 'commander.unknownOption': {
      const names = command.options.map(({ long }) => long ?? '');
      const near = nearestName(quoted, names);
      const hint =
        near === undefined
          ? `Options of this command: ${names.join(', ')}.`
          : `Did you mean ${near}?`;
      return `There is no option ${quoted}. ${hint} Text that begins with a dash goes after --.`;
    }
    case 'commander.optionMissingArgument':
      return `The option ${quoted.split(' ', 1).join()} needs a value.`;
    case 'commander.missingMandatoryOptionValue':
      return `${fullName(command)} needs the option ${quoted}.`;
    case 'commander.missingArgument':
      return `${quoted} is missing. The call is ${call}`;
    case 'commander.excessArguments': {
      const extra = command.args[command.registeredArguments.length] ?? '';
      return `${oneLine(extra, 60)} is one argument too many. The call is ${call}`;
    }
    default:
      return `${sentence(message)} The call is ${call}`;
  }
}

/** `error: option '--x <X>' cannot …` → `Option '--x <X>' cannot … .` */
function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The fault of a name that is no subcommand. */
export function noCommand(command: CommandUnknownOpts, name: string): string {
  const near = nearestName(
    name,
    command.commands.map((one) => one.name()),
  );
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `There is no command ${oneLine(name, 60)}.${hint} ${fullName(command)} --help lists the commands.`;
}

/** `turnpike webhooks add`. */
function fullName(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** The options of a command that talks to a server. */
export const urlOption = new Option(
  '--url <URL>',
  'the server; default: TURNPIKE_URL, else the server of the data folder (./.turnpike), else port 4400 of this machine',
);
export const startOption = new Option(
  '--start',
  'if no server is found, start one until the command ends, without asking',
);
export const projectOption = new Option(
  '--project <DIR>',
  'the folder that a new session works in; default: the current one',
);
export const jsonOption = new Option('--json', 'print lines of JSON');

/** Adds a subcommand that a server answers. @param usage its name and arguments: `add <URL>`. */
export function subcommand<const Usage extends string>(
  parent: CliCommand,
  usage: Usage,
  about: string,
) {
  return parent.command(usage).description(about).addOption(jsonOption).addOption(urlOption);
}

/** `a, b` → `['a', 'b']`. */
export function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** @returns a parser of the option's value. It throws UsageError for what is no whole number from `least`. */
export function wholeNumber(option: string, least = 0): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    const range = least === 0 ? '' : ` from ${least}`;
    throw new UsageError(`--${option} takes a whole number${range}, not ${text}`);
  };
}
