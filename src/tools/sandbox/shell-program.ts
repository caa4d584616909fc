import type { ChildProcess } from 'node:child_process';
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

/** Writes a program's second input and ends it. A program that does not read it has ended already. */
export function writeSecondInput(child: ChildProcess, input: Buffer | undefined): void {
  const stream = child.stdio[SECOND_INPUT];
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(input);
}
