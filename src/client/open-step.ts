/** A chunk of any major, as far as a step depends on it. */
interface Chunk {
  type: string;
  transient?: boolean | undefined;
  messageMetadata?: unknown;
}

/**
 * The step that a message of version 7 has open. A server that dies may lose what it had sent of a step: its successor
 * takes the step back, and cannot know that a client has it.
 */
export class OpenStep {
  /** Data parts that came in the step; undefined: none is open. */
  #data: Chunk[] | undefined;

  /** @returns chunks that go before this one: they take back a step that the server does not know of. */
  follow(chunk: Chunk): readonly Chunk[] {
    const { type, transient, messageMetadata } = chunk;
    if (type === 'start-step') this.#data = [];
    if (type === 'finish-step' || type === 'start') this.#data = undefined;
    // The turn's object is void with its step; other data is about the turn.
    if (type.startsWith('data-') && type !== 'data-output' && transient !== true) {
      this.#data?.push(chunk);
    }
    const data = this.#data;
    const isTakenBack =
      type === 'message-metadata' && Object.hasOwn(Object(messageMetadata), 'discarded');
    if (!isTakenBack || data === undefined) return [];
    this.#data = undefined;
    return [{ type: 'reset-step' }, ...data];
  }
}
