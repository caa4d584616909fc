import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import { SECOND_INPUT } from './shell-program.js';

/** Writes all of a program's second input, and ends it. One that does not read it has ended before. */
export function writeSecondInput(child: ChildProcess, input: Buffer | undefined): void {
  const stream = child.stdio[SECOND_INPUT];
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(input);
}
