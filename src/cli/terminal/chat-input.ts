export interface KeyAnswer {
  key: string;
  /** What followed the key on its line, where answers are lines. */
  rest?: string;
}

/** Where a chat hears its person. Undefined: there is no more, or a Ctrl-C. */
export interface ChatInput {
  /** Whether somebody sits before it. */
  isTerminal: boolean;
  line(prompt: string): Promise<string | undefined>;
  /** One of some keys; others are not heard. @param keys one character each, lower case. */
  key(prompt: string, keys: string): Promise<KeyAnswer | undefined>;
  close(): void;
}
