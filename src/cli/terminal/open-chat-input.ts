import type { ChatInput } from './chat-input.js';
import { pipedInput } from './piped-input.js';
import { terminalInput } from './terminal-input.js';

/** @param isPlain standard output is for a program: nothing is prompted for. */
export function openChatInput(isPlain: boolean): ChatInput {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY && !isPlain ? terminalInput(stdin, stdout) : pipedInput(stdin);
}
