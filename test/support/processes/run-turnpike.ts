import { fork, type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cliProgram, nodeOptions } from './built-programs.js';
import type { Ended } from './run-program.js';

const runner = fileURLToPath(new URL('./run-commands.mjs', import.meta.url));

/** A process that has loaded the command line. Loading it takes longer than a command, so a worker's suites share it. */
let shared: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();
subscribe('turnpike:no-more-tests', () => void shared?.kill());

export interface RunOptions {
  /** Variables beside PATH and HOME. */
  environment?: Readonly<Record<string, string>>;
  /** Default: this process's. */
  cwd?: string;
  /** Standard input. Default: empty. */
  input?: string;
}

/**
 * Runs a command of the built `turnpike` to its end, without a process of its own: after the command that was called
 * before it. For signals, terminals, pipes and what a process does at its end there is `cliProgram`.
 */
export function runTurnpike(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = last.then(() => run(args, options));
  last = ended.catch(() => undefined);
  return ended;
}

async function run(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const { cwd = process.cwd(), input = '' } = options;
  const child = (shared ??= start());
  const over = new AbortController();
  const { signal } = over;
  try {
    const answer = Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`turnpike ${args.join(' ')} ended its process with ${code}`);
      }),
    ]);
    child.send({ args, environment: { PATH, HOME, ...options.environment }, cwd, input });
    const [ended] = (await answer) as [Ended];
    return ended;
  } finally {
    over.abort();
  }
}

function start(): ChildProcess {
  const entry = pathToFileURL(cliProgram.at(-1) ?? '').href;
  const child = fork(runner, [entry], {
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.once('exit', () => {
    if (shared === child) shared = undefined;
  });
  return child;
}
