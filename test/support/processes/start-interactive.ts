import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

export interface Interactive {
  /** Whether the program has a terminal; default: pipes. */
  isTerminal: boolean;
  /** All output so far, of both streams. */
  output(): string;
  /**
   * Resolves when the output from an index on matches; rejects after 50 s with the output so far.
   */
  until(matches: RegExp, from?: number): Promise<void>;
  send(text: string): void;
  /** Sends Ctrl-C. */
  interrupt(): void;
  /** Sends Ctrl-D on an empty line. */
  endInput(): void;
  ended: Promise<number | null>;
}

const spawnInTerminal =
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** Runs a program as a person at a terminal does; the terminal is made by Python. */
export function startInteractive(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Interactive {
  const [program = '', ...args] = hasTerminals
    ? ['python3', '-c', spawnInTerminal, ...command]
    : command;
  const child = spawn(program, args, options);
  const { output, until } = watchOutput(child);
  return {
    isTerminal: hasTerminals,
    output,
    until,
    send: (text) => void child.stdin.write(text),
    interrupt: () => void (hasTerminals ? child.stdin.write('\u0003') : child.kill('SIGINT')),
    endInput: () => void (hasTerminals ? child.stdin.write('\u0004') : child.stdin.end()),
    ended: new Promise((resolve) => {
      child.once('close', resolve);
    }),
  };
}

function watchOutput(child: ChildProcess): Pick<Interactive, 'output' | 'until'> {
  let text = '';
  let waiters: (() => void)[] = [];
  const onText = (piece: string): void => {
    text += piece;
    for (const look of waiters) look();
  };
  child.stdout?.setEncoding('utf8').on('data', onText);
  child.stderr?.setEncoding('utf8').on('data', onText);
  const until = (matches: RegExp, from = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (how: string): void => reject(new Error(`It ${how} ${matches}: ${text}`));
      const timer = setTimeout(() => fail('did not write in time'), 120_000);
      const look = (): void => {
        if (!matches.test(text.slice(from))) return;
        clearTimeout(timer);
        waiters = waiters.filter((other) => other !== look);
        resolve();
      };
      child.once('close', () => {
        clearTimeout(timer);
        fail('ended without');
      });
      waiters.push(look);
      look();
    });
  return { output: () => text, until };
}
