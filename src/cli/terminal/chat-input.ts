export interface KeyAnswer {
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
