import { createInterface } from 'node:readline';
import type { ChatInput } from './chat-input.js';

/** Lines of a file or another program, each taken when it is asked for. No prompts. */
export function pipedInput(stdin: NodeJS.ReadableStream): ChatInput {
  const reader = createInterface({ input: stdin, terminal: false });
  // Here and not with the first question: lines that nobody listens for are gone.
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
