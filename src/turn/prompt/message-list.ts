import { createHash, type Hash } from 'node:crypto';
import { wellFormed } from '../../platform/text/well-formed.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ModelMessage, UserPart } from '../../provider/model-types.js';

/** A placeholder for an empty reply: its turn, or the message after it, needs a reply there. */
const NO_REPLY = '(no reply)';
/** A placeholder for a message without content that can be sent. */
const NO_MESSAGE = '(empty message)';

/**
 * What can be left out of requests, by key: a turn (`turn_1`), a part of its message (`turn_1/part/0`), the result of
 * a call (`turn_1/call/toolu_1`) or its files alone (`turn_1/call/toolu_1/files`), or what the provider's own tools brought into a step (`turn_1/step/2`).
 */
export type LeftOutKey = string;

/** The keys of the parts of a request's messages; a part without one cannot be left out. */
export type PartKeys = Pick<WeakMap<UserPart | AssistantPart, LeftOutKey>, 'get'>;

export const partKey = (turnId: string, index: number): LeftOutKey => `${turnId}/part/${index}`;
export const callKey = (turnId: string, callId: string): LeftOutKey => `${turnId}/call/${callId}`;
export const stepKey = (turnId: string, step: number): LeftOutKey => `${turnId}/step/${step}`;

/** The keys of the parts of all lists: each part is the list's own copy. */
const partKeys = new WeakMap<UserPart | AssistantPart, string>();

/**
 * The messages of a request, as they are added. The list is always valid for the API: a user comes
 * first, no message is empty, a system message stands after a user's and before an assistant's,
 * every string is well-formed. It only grows at its end, and a message that was added is replaced, never changed.
 */
export class MessageList {
  #messages: ModelMessage[];
  #hash: Hash | undefined;

  /**
   * @param begin the part of the request before its messages, so that the list can be hashed; or a list to begin with,
   *   which is not changed.
   */
  constructor(begin?: string | MessageList) {
    if (begin instanceof MessageList) {
      this.#messages = [...begin.#messages];
      this.#hash = begin.#hash?.copy();
      return;
    }
    this.#messages = [];
    this.#hash = begin === undefined ? undefined : createHash('sha256').update(begin);
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** The keys of parts, as they were given. */
  get keys(): Pick<typeof partKeys, 'get'> {
    return partKeys;
  }

  /** Whether the next message of a user stands alone, whatever the messages so far. */
  get isAnswered(): boolean {
    return this.#messages.at(-1)?.role === 'assistant';
  }

  /** Gives the messages from an index on, with the hash of all: what another list can go on with. */
  since(index: number): MessageList {
    const end = new MessageList(this);
    end.#messages = this.#messages.slice(index);
    return end;
  }

  /** Gives the messages before an index, and then those of `end`, which were made after the same messages. */
  upTo(index: number, end: MessageList): MessageList {
    const whole = new MessageList(end);
    whole.#messages = [...this.#messages.slice(0, index), ...end.#messages];
    return whole;
  }

  /** The message that opens a turn: empty only after outputs of tools, from which the model goes on. */
  ask(parts: readonly UserPart[], keyOf?: (index: number) => string): void {
    const asked = parts.some(hasContent) || this.#endsWithOutput();
    if (asked) this.user(parts, keyOf);
    else this.user([{ type: 'text', text: NO_MESSAGE }]);
  }

  #endsWithOutput(): boolean {
    const last = this.#messages.at(-1);
    return last?.role === 'user' && last.parts.at(-1)?.type === 'tool_result';
  }

  /** @param keyOf the key of each part. */
  user(parts: readonly UserPart[], keyOf?: (index: number) => string): void {
    const whole: UserPart[] = [];
    for (const [index, part] of parts.entries()) {
      if (!hasContent(part)) continue;
      const valid = validUserPart(part);
      if (keyOf !== undefined) partKeys.set(valid, keyOf(index));
      whole.push(valid);
    }
    if (whole.length === 0) return;
    if (this.#messages.at(-1)?.role === 'system') this.assistant([]);
    this.#count('user', whole);
    const last = this.#messages.at(-1);
    const isJoined = last?.role === 'user';
    if (isJoined) this.#messages.pop();
    this.#messages.push({ role: 'user', parts: isJoined ? [...last.parts, ...whole] : whole });
  }

  /**
   * A reply without content, thinking aside, gets a placeholder.
   *
   * @param key the key of what the provider's own tools brought.
   */
  assistant(parts: readonly AssistantPart[], key?: string): void {
    const added = parts.filter(hasContent);
    const isEmpty = added.every(isThinking);
    const filled = isEmpty ? [...added, { type: 'text' as const, text: NO_REPLY }] : added;
    const whole = filled.map(validAssistantPart);
    if (key !== undefined) {
      for (const part of whole) if (isFound(part)) partKeys.set(part, key);
    }
    this.#count(
      'assistant',
      whole.filter((part) => !isThinking(part)),
    );
    const last = this.#messages.at(-1);
    const isJoined = last?.role === 'assistant';
    if (isJoined) this.#messages.pop();
    this.#messages.push({ role: 'assistant', parts: isJoined ? [...last.parts, ...whole] : whole });
  }

  /** @returns false where no system message may stand: nothing was added. */
  system(text: string): boolean {
    if (this.#messages.at(-1)?.role !== 'user') return false;
    const whole = text.toWellFormed();
    this.#count('system', [whole]);
    this.#messages.push({ role: 'system', text: whole });
    return true;
  }

  /** The hash of the list so far, thinking aside; undefined for a list that is not hashed. */
  digest(): string | undefined {
    return this.#hash?.copy().digest('base64url');
  }

  /** Gives the messages without the thinking that is not `kept`. */
  withThinking(kept: ReadonlySet<AssistantPart>): readonly ModelMessage[] {
    const isDropped = (part: AssistantPart): boolean => isThinking(part) && !kept.has(part);
    return this.#messages.map((message) =>
      message.role === 'assistant' && message.parts.some(isDropped)
        ? { ...message, parts: message.parts.filter((part) => !isDropped(part)) }
        : message,
    );
  }

  #count(role: string, parts: readonly unknown[]): void {
    if (this.#hash === undefined) return;
    // Parts are hashed one by one, because neighbours of one role become one message.
    for (const part of parts) this.#hash.update(`\n${role} ${JSON.stringify(part)}`);
  }
}

/** Whether a part is, or cites, what one of the provider's own tools brought. */
function isFound(part: AssistantPart): boolean {
  return part.type === 'opaque' || (part.type === 'text' && part.citations !== undefined);
}

function hasContent(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

export function isThinking(part: AssistantPart): boolean {
  return part.type === 'thinking' || part.type === 'redacted_thinking';
}

function validUserPart(part: UserPart): UserPart {
  switch (part.type) {
    case 'text':
      return { ...part, text: part.text.toWellFormed() };
    case 'document':
      return { ...part, title: part.title.toWellFormed(), text: part.text.toWellFormed() };
    case 'pdf':
      return { ...part, title: part.title.toWellFormed() };
    case 'tool_result': {
      const output = part.output.toWellFormed();
      const isBlank = part.isError && output.trim() === '';
      return {
        ...part,
        output: isBlank ? 'It failed and did not say why.' : output,
        ...(part.files === undefined ? {} : { files: part.files.map(validUserPart) }),
      };
    }
    case 'image':
      return { ...part };
  }
}

/** Thinking must go back unchanged, or it is refused. */
function validAssistantPart(part: AssistantPart): AssistantPart {
  switch (part.type) {
    case 'text':
      return { ...part, text: part.text.toWellFormed() };
    case 'tool_use':
      return { ...part, input: wellFormed(part.input) };
    case 'opaque':
      return { ...part, block: wellFormed(part.block) };
    case 'thinking':
    case 'redacted_thinking':
      return part;
  }
}
