import type { OutputBlock } from '../parsing/tool-output.js';

/** A tool's failure whose message is written for the model and passed on as it is. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  /** The message with its files. Absent: it has none. */
  readonly blocks: readonly OutputBlock[] | undefined;

  constructor(
    message: string,
    { blocks, ...options }: ErrorOptions & { blocks?: readonly OutputBlock[] } = {},
  ) {
    super(message, options);
    this.blocks = blocks;
  }
}
