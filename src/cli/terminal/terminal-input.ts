import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
      await yieldToEventLoop();
      await yieldToEventLoop();
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

interface KeyAnswer {
  key: string;
  /** The rest of the line, where keys are typed as lines. */
  rest?: string;
}

/** The input of a chat. Undefined means the end of input, or Ctrl-C. */
export interface ChatInput {
  isTerminal: boolean;
  line(prompt: string): Promise<string | undefined>;
  /** Waits for one of some keys and ignores others. @param keys one character each, lower case. */
  key(prompt: string, keys: string): Promise<KeyAnswer | undefined>;
  close(): void;
}

/**
 * Opens a tool's input as JSON in `$VISUAL` or `$EDITOR`, and parses what was saved.
 *
 * @throws Error for an editor that is missing or failed, or a text that is no JSON object.
 */
export async function editInput(
  input: unknown,
  environment: Record<string, string | undefined>,
): Promise<Record<string, unknown>> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-edit-'));
  try {
    const file = path.join(folder, 'input.json');
    await writeFile(file, `${JSON.stringify(input, null, 2)}\n`, { mode: 0o600 });
    await runEditor(editor, file);
    return parseObject(await readFile(file, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the editor by a shell: the variable may contain options. */
function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn(`${editor} ${JSON.stringify(file)}`, { shell: true, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`The editor ${editor} ${why}. Set EDITOR to an editor that is installed.`));
    child.once('error', ({ message }) => fail(`could not be started (${message})`));
    child.once('exit', (code) =>
      code === 0 ? resolve() : fail(`ended with ${code ?? 'a signal'}`),
    );
  });
}

function parseObject(text: string): Record<string, unknown> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return input as Record<string, unknown>;
  }
  throw new Error('An input is a JSON object: { … }');
}

/** A chat's input from a file or a program, line by line. No prompts. */
export function pipedInput(stdin: NodeJS.ReadableStream): ChatInput {
  const reader = createInterface({ input: stdin, terminal: false });
  // Iterated from the start: lines without a listener are lost.
  const lines = reader[Symbol.asyncIterator]();
  const line = async (): Promise<string | undefined> => {
    const { done, value } = await lines.next();
    return done === true ? undefined : value;
  };
  return {
    isTerminal: false,
    line,
    key: async (_prompt, keys) => {
      for (;;) {
        const answer = (await line())?.trim();
        if (answer === undefined) return undefined;
        const key = answer.charAt(0).toLowerCase();
        if (key !== '' && keys.includes(key)) return { key, rest: answer.slice(1).trim() };
      }
    },
    close: () => reader.close(),
  };
}

/** Asks at the terminal. True for `y` or `yes` alone; Ctrl-C and Ctrl-D are a no. */
export function confirm(question: string): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  const reader = createInterface({ input, output });
  return new Promise((resolve) => {
    reader.once('close', () => resolve(false));
    reader.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      reader.close();
    });
  });
}
