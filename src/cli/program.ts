import { commandName } from '../platform/process/command-name.js';
import { Argument, CommanderError } from '@commander-js/extra-typings';
import { CliCommand, noCommand, UsageError, type Cli } from './command.js';

/** Adds the arguments, options and action of a command. */
type Declare = (command: CliCommand, cli: Cli) => void;

/** A command, whose code is loaded when it is called: the code of all takes longer to load than most commands take. */
interface ListedCommand {
  name: string;
  about: string;
  load(): Promise<Declare>;
}

/** @param load the module that exports the command: `turnCommand` for `turn`. */
function listed<Name extends string>(
  name: Name,
  about: string,
  load: () => Promise<Record<`${Name}Command`, Declare>>,
): ListedCommand {
  return { name, about, load: async () => (await load())[`${name}Command`] };
}

const commands: readonly ListedCommand[] = [
  listed('turn', 'run one turn and print its stream', () => import('./commands/turn-command.js')),
  listed(
    'chat',
    'talk, message by message; /help lists its commands',
    () => import('./commands/chat-command.js'),
  ),
  listed(
    'tail',
    'follow a running turn, or print an ended one',
    () => import('./commands/tail-command.js'),
  ),
  listed(
    'turns',
    'list turns of all sessions, by status, error, cost and more',
    () => import('./commands/turns-command.js'),
  ),
  listed(
    'cost',
    'say what each model call of a turn cost, and what the cache missed and why',
    () => import('./commands/cost-command.js'),
  ),
  listed('sessions', 'list the latest sessions', () => import('./commands/list-command.js')),
  listed(
    'fork',
    'start a session from the history up to a turn',
    () => import('./commands/fork-command.js'),
  ),
  listed(
    'replay',
    'run an ended turn again on recorded results, and compare both',
    () => import('./commands/replay-command.js'),
  ),
  listed(
    'compare',
    'show two turns side by side: cost, times, tool calls',
    () => import('./commands/replay-command.js'),
  ),
  listed('agents', 'list the named agents', () => import('./commands/list-command.js')),
  listed(
    'skills',
    'list the skills of the server, with the faults of their files',
    () => import('./commands/list-command.js'),
  ),
  listed(
    'models',
    'list the models that turns may name, with windows and prices, and try one: `check [MODEL]`',
    () => import('./commands/models-command.js'),
  ),
  listed(
    'approvals',
    'list the approvals that your turns wait for, and those that others ask of you',
    () => import('./commands/answer-command.js'),
  ),
  listed('approve', 'approve a tool call', () => import('./commands/answer-command.js')),
  listed(
    'deny',
    'deny a tool call; the model gets the reason',
    () => import('./commands/answer-command.js'),
  ),
  listed(
    'webhooks',
    'send events of your turns to a URL, and list what was sent',
    () => import('./commands/webhooks-command.js'),
  ),
  listed(
    'mcp',
    'log in at MCP servers, list your log-ins, and end them',
    () => import('./commands/mcp-command.js'),
  ),
  listed(
    'memory',
    'show and delete the files that agents keep for you',
    () => import('./commands/memory-command.js'),
  ),
  listed(
    'schedules',
    'run turns by cron expressions',
    () => import('./commands/schedules-command.js'),
  ),
  listed('feedback', 'store feedback on turns', () => import('./commands/feedback-command.js')),
  listed(
    'tools',
    'list and try tools of your own, without a server',
    () => import('./commands/tools-command.js'),
  ),
  listed(
    'dev',
    'serve, and start again when a tool or an agent changes',
    () => import('./commands/dev-command.js'),
  ),
  listed(
    'check',
    'load your tools and agents as a server does, and say what is wrong with them',
    () => import('./commands/check-command.js'),
  ),
  listed(
    'project',
    'say what becomes of a project that was made for Claude Code or its Agent SDK: `check [DIR]`',
    () => import('./commands/project-command.js'),
  ),
  listed(
    'serve',
    'serve until a signal stops it; the default command',
    () => import('./commands/serve-command.js'),
  ),
  listed(
    'login',
    'log in at the identity provider of a server, by a code that you type in a browser',
    () => import('./commands/login-command.js'),
  ),
  listed('logout', 'end the log-in at a server', () => import('./commands/login-command.js')),
  listed(
    'whoami',
    'show who you are to a server, what you may do, and until when',
    () => import('./commands/login-command.js'),
  ),
  listed('keys', 'manage API keys', () => import('./commands/keys-command.js')),
  listed(
    'auth',
    'explain tokens of identity providers',
    () => import('./commands/auth-command.js'),
  ),
  listed(
    'export',
    'write sessions as lines of JSON, with turns and files',
    () => import('./commands/data-commands.js'),
  ),
  listed(
    'import',
    'store the sessions of an export that the server lacks',
    () => import('./commands/data-commands.js'),
  ),
  listed(
    'forget',
    'delete everything that is stored for a principal',
    () => import('./commands/data-commands.js'),
  ),
  listed(
    'access',
    'end the access of a principal who left',
    () => import('./commands/data-commands.js'),
  ),
  listed('migrate', 'bring the database up to date', () => import('./commands/migrate-command.js')),
  listed(
    'completion',
    'print a script that completes commands and options in a shell',
    async () => ({ completionCommand }),
  ),
];

/**
 * Runs a command of `turnpike`.
 *
 * @param args the name of the command, and its arguments.
 * @returns the exit code: the command's; 1 when it failed; 2 for a wrong call.
 */
export async function runCommand(args: readonly string[], cli: Cli): Promise<number> {
  const [name = ''] = args;
  try {
    const program = await createProgram(name, cli);
    const isKnown = name.startsWith('-') || program.commands.some((one) => one.name() === name);
    if (!isKnown) throw new UsageError(noCommand(program, name));
    await program.parseAsync([...args], { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    // Help and version are printed. Help in place of a missing subcommand is about a wrong call.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return complain(error, name, cli);
  }
}

/** Explains a failure. The code for that is loaded only now, with the client whose errors it explains. */
async function complain(error: unknown, name: string, cli: Cli): Promise<number> {
  const { exitCodeOf, explainFailure } = await import('./render/explain-failure.js');
  const text = explainFailure(error);
  if (name === 'serve') (await import('./commands/serve-command.js')).complain('error', text);
  else cli.err(`${text}\n`);
  return exitCodeOf(error);
}

/**
 * @param called the commands whose code is loaded: one, or `all`.
 * @param programName what its help and its faults call it.
 */
async function createProgram(
  called: string,
  cli: Cli,
  programName: string = commandName(),
): Promise<CliCommand> {
  const program = new CliCommand(programName);
  program
    .description('An agent turn server: durable turns, resumable streams, one command to start.')
    .usage('COMMAND [options]')
    // An option is of the command before it: of `models check --json`, that is the subcommand.
    .enablePositionalOptions()
    // Answered before any of this is loaded; it is here for the help.
    .option('-v, --version', 'print the version and the commit it was built from')
    .configureOutput({ writeOut: (text) => cli.out(text), writeErr: (text) => cli.err(text) })
    .addHelpText(
      'after',
      `
${programName} COMMAND --help lists the options of a command. Without a command, it serves.
Exit code: that of the turn (0 ended, 1 failed, 3 waiting for an answer, 130 interrupted); 2 for a wrong call.`,
    );
  for (const { name, about, load } of commands) {
    const command = new CliCommand(name).description(about).copyInheritedSettings(program);
    if (called === name || called === ALL) (await load())(command, cli);
    program.addCommand(command);
  }
  return program;
}

/** Every command, for `createProgram`. */
const ALL = 'all';

/** The program with the code of all its commands: for completion, and for the documentation. */
export async function allCommands(cli: Cli): Promise<CliCommand> {
  // Shells complete the command that npm installs, also where a clone prints the script.
  return createProgram(ALL, cli, 'turnpike');
}

function completionCommand(command: CliCommand, cli: Cli): void {
  command
    .addArgument(new Argument('<SHELL>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', `\n${installCompletion}`)
    .action(async (shell) => {
      const { completionScript } = await import('./completion.js');
      cli.out(completionScript(shell, await allCommands(cli)));
    });
}

const installCompletion = `bash: source <(turnpike completion bash)   in ~/.bashrc
zsh:  source <(turnpike completion zsh)    in ~/.zshrc, after compinit
fish: turnpike completion fish > ~/.config/fish/completions/turnpike.fish`;
