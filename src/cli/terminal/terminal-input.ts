import { setImmediate as nextTick } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { ChatInput, KeyAnswer } from './chat-input.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** A terminal: lines with their history, keys without Enter. Between them its signals are the system's. */
export function terminalInput(stdin: ReadStream, stdout: WriteStream): ChatInput {
  const typed = new TypedLines(stdin, stdout);
  return {
    isTerminal: true,
    line: (prompt) => typed.next(prompt),
    key: async (prompt, keys) => {
      stdin.setRawMode(true);
      stdin.resume();
      // What was typed before the question is no answer to it.
      await nextTick();
      await nextTick();
      stdout.write(prompt);
      return readKey(stdin, stdout, keys);
    },
    close: () => void stdin.pause(),
  };
}

class TypedLines {
  #history: string[] = [];
  /** Lines of one paste, beyond the one that was asked for. */
  #ahead: string[] = [];
  /** A line that was begun with them. */
  #begun = '';

  constructor(
    private readonly stdin: ReadStream,
    private readonly stdout: WriteStream,
  ) {}

  next(prompt: string): Promise<string | undefined> {
    const pasted = this.#ahead.shift();
    if (pasted === undefined) return this.#read(prompt);
    this.stdout.write(`${prompt}${pasted}\n`);
    return Promise.resolve(pasted);
  }

  #read(prompt: string): Promise<string | undefined> {
    const { stdin, stdout } = this;
    const history = this.#history;
    const reader = createInterface({ input: stdin, output: stdout, history, prompt });
    return new Promise((resolve) => {
      let answer: string | undefined;
      let isWarned = false;
      reader.on('history', (lines) => (this.#history = lines));
      reader.on('line', (text) => {
        if (answer !== undefined) return void this.#ahead.push(text);
        answer = text;
        // Not at once: the rest of a paste is still to come.
        setImmediate(() => reader.close());
      });
      reader.on('SIGINT', () => {
        if (isWarned) return reader.close();
        isWarned = true;
        stdout.write('\nCtrl-C again leaves.\n');
        // Empties the line.
        reader.write(null, { ctrl: true, name: 'u' });
        reader.prompt();
      });
      reader.once('close', () => {
        this.#begun = answer === undefined ? '' : reader.line;
        if (answer === undefined) stdout.write('\n');
        resolve(answer);
      });
      reader.prompt();
      if (this.#begun !== '') reader.write(this.#begun);
    });
  }
}

function readKey(
  stdin: ReadStream,
  stdout: WriteStream,
  keys: string,
): Promise<KeyAnswer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: KeyAnswer | undefined): void => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      stdout.write(`${answer?.key ?? ''}\n`);
      resolve(answer);
    };
    const onData = (data: Buffer | string): void => {
      for (const key of data.toString().toLowerCase()) {
        if (key === CTRL_C || key === CTRL_D) return settle(undefined);
        if (keys.includes(key)) return settle({ key });
      }
    };
    stdin.on('data', onData);
  });
}
