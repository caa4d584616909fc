import { commandNames, help, helpOf } from './commands/usage.js';
import { nearestName } from '../platform/parsing/nearest-name.js';
import { leaveOnClosedPipe, oneLine } from './terminal/screen.js';
import { packageCommit, packageVersion } from '../platform/process/package-root.js';

type Environment = Record<string, string | undefined>;
type Command = (args: readonly string[], environment: Environment) => Promise<number>;
type Loaded = [name: string, load: () => Promise<Command>];

/** Loads the command that is run and no other: the code of all takes longer than most commands do. */
const commands = new Map<string, () => Promise<Command>>([
  ['turn', async () => (await import('./commands/turn-command.js')).turnCommand],
  ['chat', async () => (await import('./commands/chat-command.js')).chatCommand],
  ['tail', async () => (await import('./commands/tail-command.js')).tailCommand],
  ...(['sessions', 'agents', 'models', 'skills'] as const).map((what): Loaded => [
    what,
    async () => {
      const { listCommand } = await import('./commands/list-command.js');
      return (args, environment) => listCommand(what, args, environment);
    },
  ]),
  ...(['approvals', 'approve', 'deny'] as const).map((what): Loaded => [
    what,
    async () => {
      const { answerCommand } = await import('./commands/answer-command.js');
      return (args, environment) => answerCommand(what, args, environment);
    },
  ]),
  ['fork', async () => (await import('./commands/fork-command.js')).forkCommand],
  ['replay', async () => (await import('./commands/replay-command.js')).replayCommand],
  ['compare', async () => (await import('./commands/replay-command.js')).compareCommand],
  ['keys', async () => (await import('./commands/keys-command.js')).keysCommand],
  ['feedback', async () => (await import('./commands/feedback-command.js')).feedbackCommand],
  ['memory', async () => (await import('./commands/memory-command.js')).memoryCommand],
  ['schedules', async () => (await import('./commands/schedules-command.js')).schedulesCommand],
  ['webhooks', async () => (await import('./commands/webhooks-command.js')).webhooksCommand],
  ['export', async () => (await import('./commands/data-commands.js')).exportCommand],
  ['import', async () => (await import('./commands/data-commands.js')).importCommand],
  ['forget', async () => (await import('./commands/data-commands.js')).forgetCommand],
  ['serve', async () => (await import('./commands/serve-command.js')).serveCommand],
  ['migrate', async () => (await import('./commands/migrate-command.js')).migrateCommand],
  [
    'help',
    async () =>
      async ([about]) =>
        printHelp(about),
  ],
  ['version', async () => version],
]);

const helpFlags: readonly string[] = ['--help', '-h'];
const versionFlags: readonly string[] = ['--version', '-v'];

/**
 * Runs a command of `turnpike`.
 *
 * @param given its arguments. Without a command it serves: `npx` of the package starts a server.
 * @returns the exit code.
 */
export async function runCli(given: readonly string[]): Promise<number> {
  const [name = '', ...rest] = isCommand(given[0]) ? given : ['serve', ...given];
  // A server goes on when the reader of its output is gone.
  if (name !== 'serve') leaveOnClosedPipe();
  if (optionsOf(given).some((arg) => helpFlags.includes(arg))) {
    return printHelp(isCommand(given[0]) ? name : undefined);
  }
  if (versionFlags.includes(name)) return version();
  const load = commands.get(name);
  if (load !== undefined) return (await load())(rest, process.env);
  return noCommand(name);
}

/** Whether the first argument names a command, which options of `serve` do not. */
function isCommand(first: string | undefined): boolean {
  return first !== undefined && (!first.startsWith('-') || versionFlags.includes(first));
}

/** The arguments before `--`; those after it are text. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** @param about a command; undefined: all. */
function printHelp(about: string | undefined): number {
  const text = about === undefined || about === 'help' ? help : helpOf(about);
  if (text === undefined) return noCommand(about ?? '');
  process.stdout.write(text);
  return 0;
}

function noCommand(wanted: string): number {
  const near = nearestName(wanted, commandNames);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  process.stderr.write(
    `There is no command ${oneLine(wanted, 60)}.${hint} turnpike --help lists the commands.\n`,
  );
  return 2;
}

async function version(): Promise<number> {
  process.stdout.write(
    `${packageVersion}${packageCommit === undefined ? '' : ` (${packageCommit})`}\n`,
  );
  return 0;
}
