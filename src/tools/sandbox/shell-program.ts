import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';

/** A shell that can be started: bash itself, or what puts it into a sandbox. */
export interface ShellProgram {
  file: string;
  args: readonly string[];
  cwd: string;
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  /** Lines it runs before any command. */
  setUp: readonly string[];
  /** What it reads from its descriptor `SECOND_INPUT`, which then ends. */
  secondInput?: Buffer;
  /** Called once when it is gone, or was never started. Never rejects. */
  release?(): Promise<void>;
}

/** Beside stdin, stdout and stderr. */
export const SECOND_INPUT = 3;

export const bashFile = '/bin/bash';
/**
 * No start-up files: they are the server's user's. Bash reads them, unasked, where its input is a
 * socket, as it is here.
 */
export const bashArguments = ['--noprofile', '--norc'];
/** Prompts would be in the output; a terminal is not there. */
export const bashEnvironment = { PS1: '', PS2: '', TERM: 'dumb' };

/** Writes a program's second input and ends it. A program that does not read it has ended already. */
export function writeSecondInput(child: ChildProcess, input: Buffer | undefined): void {
  const stream = child.stdio[SECOND_INPUT];
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(input);
}
