import { createInterface } from 'node:readline';
import type { ChatInput } from './chat-input.js';

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
