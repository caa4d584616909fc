import { setImmediate as nextTick } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { ChatInput, KeyAnswer } from './chat-input.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const MARK_PASTES = '\u001b[?2004h';
const LEAVE_PASTES = '\u001b[?2004l';

/** A chat's input from a terminal: lines with history, keys without Enter. Between them Ctrl-C is SIGINT. */
export function terminalInput(stdin: ReadStream, stdout: WriteStream): ChatInput {
  const typed = new TypedLines(stdin, stdout);
  return {
    isTerminal: true,
    line: (prompt) => typed.next(prompt),
    key: async (prompt, keys) => {
      stdin.setRawMode(true);
      stdin.resume();
      // Input from before the question does not answer it: two ticks drop what was typed.
      await nextTick();
      await nextTick();
      stdout.write(prompt);
      return awaitKey(stdin, stdout, keys);
    },
    close: () => void stdin.pause(),
  };
}

class TypedLines {
  #history: string[] = [];
  /** Lines of a paste after the one that was asked for. */
  #ahead: string[] = [];
  /** The unfinished last line of a paste. */
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
      let isPasting = false;
      let pasted: string[] = [];
      // A terminal that marks a paste makes it one message, sent by Enter; others send line by line.
      stdout.write(MARK_PASTES);
      const onKey = (_text: string | undefined, { name }: { name?: string } = {}): void => {
        if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
      };
      stdin.on('keypress', onKey);
      reader.on('history', (lines) => (this.#history = lines));
      reader.on('line', (text) => {
        if (isPasting) return void pasted.push(text);
        if (answer !== undefined) return void this.#ahead.push(text);
        answer = [...pasted, text].join('\n');
        // Closed in the next round: the rest of a paste comes before it.
        setImmediate(() => reader.close());
      });
      reader.on('SIGINT', () => {
        if (isWarned) return reader.close();
        isWarned = true;
        pasted = [];
        stdout.write('\nCtrl-C again leaves.\n');
        // Empties the line.
        reader.write(null, { ctrl: true, name: 'u' });
        reader.prompt();
      });
      reader.once('close', () => {
        stdin.off('keypress', onKey);
        stdout.write(LEAVE_PASTES);
        this.#begun = answer === undefined ? '' : reader.line;
        if (answer === undefined) stdout.write('\n');
        resolve(answer);
      });
      reader.prompt();
      if (this.#begun !== '') reader.write(this.#begun);
    });
  }
}

function awaitKey(
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
