#!/usr/bin/env node
import { answerCommand } from './cli/commands/answer-command.js';
import { chatCommand } from './cli/commands/chat-command.js';
import { exportCommand } from './cli/commands/export-command.js';
import { feedbackCommand } from './cli/commands/feedback-command.js';
import { forkCommand } from './cli/commands/fork-command.js';
import { forgetCommand } from './cli/commands/forget-command.js';
import { importCommand } from './cli/commands/import-command.js';
import { keysCommand } from './cli/commands/keys-command.js';
import { leaveOnClosedPipe } from './cli/terminal/leave-on-closed-pipe.js';
import { listCommand } from './cli/commands/list-command.js';
import { memoryCommand } from './cli/commands/memory-command.js';
import { migrateCommand } from './cli/commands/migrate-command.js';
import { oneLine } from './cli/terminal/plain-text.js';
import { serveCommand } from './cli/commands/serve-command.js';
import { tailCommand } from './cli/commands/tail-command.js';
import { turnCommand } from './cli/commands/turn-command.js';
import { packageCommit, packageVersion } from './platform/process/package-root.js';
import { usage } from './cli/commands/usage.js';
import { schedulesCommand } from './cli/commands/schedules-command.js';
import { webhooksCommand } from './cli/commands/webhooks-command.js';

type Command = (args: readonly string[]) => Promise<number>;

const environment = process.env;

const commands = new Map<string, Command>([
  ['turn', (args) => turnCommand(args, environment)],
  ['chat', (args) => chatCommand(args, environment)],
  ['tail', (args) => tailCommand(args, environment)],
  ...(['sessions', 'agents', 'models', 'skills'] as const).map((what): [string, Command] => [
    what,
    (args) => listCommand(what, args, environment),
  ]),
  ...(['approvals', 'approve', 'deny'] as const).map((what): [string, Command] => [
    what,
    (args) => answerCommand(what, args, environment),
  ]),
  ['fork', (args) => forkCommand(args, environment)],
  ['keys', (args) => keysCommand(args, environment)],
  ['feedback', (args) => feedbackCommand(args, environment)],
  ['memory', (args) => memoryCommand(args, environment)],
  ['schedules', (args) => schedulesCommand(args, environment)],
  ['webhooks', (args) => webhooksCommand(args, environment)],
  ['export', (args) => exportCommand(args, environment)],
  ['import', (args) => importCommand(args, environment)],
  ['forget', (args) => forgetCommand(args, environment)],
  ['serve', (args) => serveCommand(args, environment)],
  ['migrate', (args) => migrateCommand(args, environment)],
  ['help', help],
  ['version', version],
]);

const helpFlags: readonly string[] = ['--help', '-h'];
const versionFlags: readonly string[] = ['--version', '-v'];

const given = process.argv.slice(2);
// Without a command it serves: `npx` of the package starts a server.
const [name = '', ...rest] = isCommand(given[0]) ? given : ['serve', ...given];
// A server goes on when the reader of its output is gone.
if (name !== 'serve') leaveOnClosedPipe();
process.exitCode = await run();

async function run(): Promise<number> {
  if (optionsOf(given).some((arg) => helpFlags.includes(arg))) return help();
  if (versionFlags.includes(name)) return version();
  const command = commands.get(name);
  if (command !== undefined) return command(rest);
  process.stderr.write(
    `There is no command ${oneLine(name, 60)}; turnpike --help lists the commands.\n`,
  );
  return 2;
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

async function help(): Promise<number> {
  process.stdout.write(usage);
  return 0;
}

async function version(): Promise<number> {
  process.stdout.write(
    `${packageVersion}${packageCommit === undefined ? '' : ` (${packageCommit})`}\n`,
  );
  return 0;
}
