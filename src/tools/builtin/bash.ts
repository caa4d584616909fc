import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { BashSession, BashTimeoutError } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import pLimit from 'p-limit';
import type { JsonObject } from '../../platform/json.js';
import { pickShellEnv } from '../pick-shell-env.js';
import { ToolFailure } from '../tool-failure.js';
import type { OpenTool, ToolContext, ToolDefinition } from '../tool.js';

/** Longest wait that Node's timers can hold. The call's own time limit is shorter and rules. */
const longestMs = 2 ** 31 - 1;
const probeMs = 1000;

export const bashTool: ToolDefinition = {
  name: 'bash',
  description:
    'Run a bash command in a shell that lasts for the turn: its directory and variables stay from call to call. stdin is empty. A failing command reports its exit code.',
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
  open: openShell,
};

/**
 * The SDK's persistent shell. Unlike the SDK's own tool it says the exit code, passes an abort on as
 * an abort, survives a syntax error and never inherits the server's environment. When a command is
 * aborted or out of time, or the turn ends, the shell's whole process group is killed.
 */
function openShell({ workdir, env = {} }: ToolContext): OpenTool {
  const shellEnv = pickShellEnv(env, Object.keys(env));
  // Two commands at once would mix their output: the shell has one input and one output.
  const inTurn = pLimit(1);
  let session: BashSession | undefined;
  const discard = (): void => {
    session?.close();
    session = undefined;
  };

  const ready = async (signal: AbortSignal): Promise<BashSession> => {
    if (session?.closed === true) discard();
    if (session !== undefined) return session;
    await checkCanStart(workdir);
    // The turn may have ended while we looked: nobody would close a shell that starts now.
    signal.throwIfAborted();
    session = new BashSession(workdir, shellEnv);
    return session;
  };

  const run = async (input: JsonObject, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    if (input['restart'] === true) discard();
    const command = input['command'];
    if (typeof command !== 'string') {
      if (input['restart'] === true) return 'the next command starts a fresh shell';
      throw new ToolFailure('bash: command is required');
    }
    const shell = await ready(signal);
    const timeoutMs = Math.min(Number(input['timeout_ms'] ?? longestMs), longestMs);
    try {
      const { output, exitCode } = await shell.exec(asOneWord(command), { timeoutMs, signal });
      if (exitCode === 0) return output;
      throw new ToolFailure(await describeExit(shell, output, exitCode));
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      // What still runs would answer into the next command's output.
      discard();
      signal.throwIfAborted();
      const why = error instanceof BashTimeoutError ? `timed out after ${timeoutMs} ms` : 'ended';
      throw new ToolFailure(`bash: the shell ${why}; the next command starts a fresh one`, {
        cause: error,
      });
    }
  };

  return { run: (input, { signal }) => inTurn(() => run(input, signal)), close: discard };
}

/**
 * The command as an argument of `eval`. As plain input a syntax error would end the shell, and an
 * open quote would swallow the marker that the session waits for.
 */
function asOneWord(command: string): string {
  return `eval '${command.replaceAll("'", `'\\''`)}'`;
}

/** Some errors (an open quote, for one) leave a shell that ends at its next command: ask it now. */
async function describeExit(shell: BashSession, output: string, exitCode: number): Promise<string> {
  const lines = output === '' ? [] : [output];
  lines.push(`[exit code ${exitCode}]`);
  try {
    await shell.exec(':', { timeoutMs: probeMs });
  } catch {
    shell.close();
    lines.push('[the shell ended; the next command starts a fresh one]');
  }
  return lines.join('\n');
}

/** A shell that cannot be spawned is an `error` event nobody listens to, and ends the process. */
async function checkCanStart(workdir: string): Promise<void> {
  // The slash makes it fail for what is no directory.
  if (!(await isExecutable(`${workdir}/`))) {
    throw new ToolFailure('bash: the working directory does not exist or may not be entered');
  }
  if (!(await isExecutable('/bin/bash'))) {
    throw new ToolFailure('bash: /bin/bash is not installed on the server');
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
