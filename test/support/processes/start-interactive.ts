import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

export interface Interactive {
  /** Whether it has a terminal; without one it has pipes. */
  isTerminal: boolean;
  /** Everything that was written so far, on both streams. */
  output(): string;
  /** Resolves when the output, from a place on, matches; rejects after 50 s, with what there is. */
  until(matches: RegExp, from?: number): Promise<void>;
  send(text: string): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D on an empty line. */
  endInput(): void;
  ended: Promise<number | null>;
}

const spawnInTerminal =
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** Runs a program as somebody at a terminal does, where Python is there to make one. */
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
      const timer = setTimeout(() => fail('did not write in time'), 50_000);
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
