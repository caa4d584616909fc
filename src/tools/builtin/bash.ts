import pLimit from 'p-limit';
import { systemClock } from '../../platform/clock.js';
import type { JsonObject } from '../../platform/json.js';
import { bashFile, isExecutable } from '../sandbox/shell-program.js';
import { pickShellEnv } from '../shell-env.js';
import { ShellEndedError, ShellSession, type CommandEnd } from '../sandbox/shell-session.js';
import type { Shells } from '../shells.js';
import { ToolFailure, type OpenTool, type ToolContext, type ToolDefinition } from '../tool.js';

/** Longest delay of Node's timers. The call's own time limit is shorter. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const probeMs = 1000;

export const BASH_TOOL = 'bash';

/** The tool of commands. A server without shells has it too: a call fails with the reason. */
export function bashTool(shells: Shells): ToolDefinition {
  return {
    ...definition,
    open: (context) => (shells.kind === 'off' ? closedShell(shells) : openShell(shells, context)),
  };
}

const definition: Omit<ToolDefinition, 'open'> = {
  name: BASH_TOOL,
  description:
    'Run a bash command in a shell that lasts for the turn: its directory and variables stay from call to call. stdin is empty. What runs on in the background writes to files: its later output is in no result. A failing command reports its exit code.',
  inputSchema: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command to run' },
      restart: { type: 'boolean', description: 'Start a fresh shell first' },
      timeout_ms: {
        type: 'integer',
        minimum: 1,
        description:
          'Milliseconds after which the command is stopped; the server has its own limit',
      },
    },
  },
  effect: 'command',
  retry: 'never',
  permissionArgument: { name: 'command', kind: 'command' },
};

function closedShell({ explanation }: Extract<Shells, { kind: 'off' }>): OpenTool {
  return { run: () => Promise.reject(new ToolFailure(explanation)) };
}

/**
 * A shell for the turn: an abort, a timeout and the end of the turn kill everything that it
 * started.
 */
function openShell(
  shells: Exclude<Shells, { kind: 'off' }>,
  { workdir, env = {}, others, quota }: ToolContext,
): OpenTool {
  const shellEnv = pickShellEnv(env, Object.keys(env));
  const options = { clock: systemClock, outputBytes: shells.outputBytes };
  // Commands run one at a time: the shell has one input and one output.
  const serially = pLimit(1);
  const closed = new AbortController();
  let session: ShellSession | undefined;
  const discard = async (): Promise<void> => {
    const old = session;
    session = undefined;
    await old?.close();
  };

  const openSession = async (signal: AbortSignal): Promise<ShellSession> => {
    if (session?.hasEnded === true) await discard();
    if (session !== undefined) return session;
    await checkCanStart(workdir);
    const program = await shells.program(workdir, { env: shellEnv, others });
    // The turn may end meanwhile: a shell opened after that would never be closed.
    const isOver = AbortSignal.any([signal, closed.signal]);
    session = await ShellSession.open(program, options, isOver);
    return session;
  };

  const run = async (input: JsonObject, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    if (input['restart'] === true) await discard();
    const command = input['command'];
    if (typeof command !== 'string') {
      if (input['restart'] === true) return 'the next command starts a fresh shell';
      throw new ToolFailure('bash: command is required');
    }
    // Bash drops NUL: another command would run than the one that rules were asked about.
    if (command.includes('\0')) throw new ToolFailure('bash: command has the character NUL');
    const timeoutMs = Math.min(Number(input['timeout_ms'] ?? MAX_TIMEOUT_MS), MAX_TIMEOUT_MS);
    try {
      const shell = await openSession(signal);
      const exec = (until: AbortSignal) => shell.exec(command, { timeoutMs, signal: until });
      const end = await (quota === undefined ? exec(signal) : quota.watch(signal, exec));
      if (end.exitCode === 0) return end.output;
      throw new ToolFailure(await describeExit(shell, end));
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      await discard();
      signal.throwIfAborted();
      throw new ToolFailure(describeEnd(error), { cause: error });
    }
  };

  return {
    run: (input, { signal }) => serially(() => run(input, signal)),
    close: () => {
      closed.abort(new Error('The turn is over'));
      return discard();
    },
  };
}

function describeEnd(error: unknown): string {
  if (!(error instanceof ShellEndedError)) throw error;
  const output = error.output === '' ? '' : `${error.output}\n`;
  return `${output}bash: the shell ${error.message}; the next command starts a fresh one`;
}

/**
 * Probes the shell after an error: some errors, as an open quote, leave a shell that ends at its
 * next command.
 */
async function describeExit(shell: ShellSession, end: CommandEnd): Promise<string> {
  const lines = end.output === '' ? [] : [end.output];
  lines.push(`[exit code ${end.exitCode}]`);
  try {
    await shell.exec(':', { timeoutMs: probeMs, signal: new AbortController().signal });
  } catch {
    lines.push('[the shell ended; the next command starts a fresh one]');
  }
  return lines.join('\n');
}

/** @throws ToolFailure when the folder or bash is missing, in clearer words than a sandbox's. */
async function checkCanStart(workdir: string): Promise<void> {
  // The slash makes the check fail for a file.
  if (!(await isExecutable(`${workdir}/`))) {
    throw new ToolFailure('bash: the working directory does not exist or may not be entered');
  }
  if (!(await isExecutable(bashFile))) {
    throw new ToolFailure('bash: /bin/bash is not installed on the server');
  }
}
