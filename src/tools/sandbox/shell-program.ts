import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { ShellOutputs } from './shell-outputs.js';

/** A program that runs a shell: bash itself, or bubblewrap. */
export interface ShellProgram {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Shell lines to run before any command. */
  setUp: readonly string[];
  /** The pipes that its commands write to. */
  outputs: ShellOutputs;
  /** Content of the file descriptor `SECOND_INPUT`. */
  secondInput?: Buffer;
  /** Called once, after the shell's end or a failed start. Never rejects. */
  release?(): Promise<void>;
}

/** File descriptor after stdin, stdout and stderr. */
export const SECOND_INPUT = 3;

export const bashFile = '/bin/bash';
/**
 * No start-up files, which belong to the server's user: bash reads them by default when its input is a
 * socket, as it is here.
 */
export const bashArguments = ['--noprofile', '--norc'];
/** Variables that keep prompts out of the output; there is no terminal. */
export const bashEnvironment = { PS1: '', PS2: '', TERM: 'dumb' };

export function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Writes a program's second input and ends it. A program that does not read it has ended already. */
export function writeSecondInput(child: ChildProcess, input: Buffer | undefined): void {
  const stream = child.stdio[SECOND_INPUT];
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(input);
}

/**
 * Lines for a shell's input. The shell has the output of a command on another file descriptor, for the marker:
 * a command may redirect or close its own output.
 */

/** The file descriptor of the marker; high, because scripts use low ones (and `flock`'s manual 200). */
const OUTPUT = 187;

/** The first lines of a shell, whose own messages (traces, syntax errors) stay on its stderr. */
export function openingLines(marker: string, setUp: readonly string[] = []): string {
  return [`exec ${OUTPUT}>&1`, ...setUp, markerLine(marker)].map((line) => `${line}\n`).join('');
}

/**
 * A command and the marker after it. The command is an argument of `eval`: as plain input a syntax error
 * would end the shell, and an open quote would swallow the marker. Its stdin is empty, as the shell's
 * own stdin brings the next command.
 *
 * @param pipe the named pipe that the command writes to.
 */
export function commandLines(command: string, marker: string, pipe: string): string {
  const run = `{ eval ${quote(command)}\n} </dev/null >&${OUTPUT} 2>&1 ${OUTPUT}>&-`;
  return `{ ${run}\n${markerLine(marker)}\n} ${OUTPUT}>${quote(pipe)}\n`;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Prints the marker from two halves: a shell that echoes its input (`set -v`, `set -x`) must not
 * print it.
 */
function markerLine(marker: string): string {
  const half = marker.length / 2;
  const words = `${marker.slice(0, half)} ${marker.slice(half)}`;
  return `builtin printf '%s%s%d\\n' ${words} "$?" >&${OUTPUT}`;
}
