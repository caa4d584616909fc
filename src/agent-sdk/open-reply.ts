import type { HarnessFrames } from '../client/turnpike-client.js';
import { isPlainObject, type JsonObject } from '../platform/json.js';
import { uuidOf } from './message-ids.js';
import type { ApiUsage, AssistantBlock, SDKMessage } from './sdk-messages.js';
import { hasOtherFields, toTheirInput, toTheirName } from './tool-names.js';

export interface ReplyFacts {
  /** The uuid of the session. */
  session: string;
  model: string;
  /** The call that a subagent works for, or null. */
  parent: string | null;
  /** Whether readers want the events of the Messages API, too. */
  partial: boolean;
}

type Usage = HarnessFrames['step:end']['usage'];

/** A block of which more may come. */
interface OpenBlock {
  kind: 'text' | 'thinking' | 'tool_use';
  index: number;
  /** Its text; of a call the JSON of its input as far as it came. */
  text: string;
  /** Of a call. */
  id: string;
  name: string;
}

const noTokens: ApiUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/**
 * A reply of the model that is being told: a message for each block, once the block is whole. Ids are made of the id of
 * the event that began the reply, and the block's place: how its text was cut into events changes none.
 */
export class OpenReply {
  /** The uuids of its messages so far. */
  readonly told: string[] = [];
  /** Its text so far. */
  text = '';
  #open: OpenBlock[] = [];
  #blocks = 0;
  #isClosed = false;
  #partials = 0;
  /** The server's names of its tools, by call. */
  readonly #names = new Map<string, string>();

  constructor(
    private readonly facts: ReplyFacts,
    /** The id of the event that began it. */
    private readonly frameId: string,
    /** From 1. */
    readonly step: number,
  ) {}

  /** The server's name of a call's tool. */
  nameOf(callId: string): string | undefined {
    return this.#names.get(callId);
  }

  begin(): SDKMessage[] {
    const { model } = this.facts;
    const message = { id: this.#messageId(), type: 'message', role: 'assistant', model };
    const empty = { content: [], stop_reason: null, stop_sequence: null, usage: noTokens };
    return this.#partial({ type: 'message_start', message: { ...message, ...empty } });
  }

  write(kind: 'text' | 'thinking', text: string): SDKMessage[] {
    const [block] = this.#open;
    const isSame = block?.kind === kind;
    const before = isSame ? [] : [...this.#closeOpen(noTokens), ...this.#start(kind)];
    const written = this.#open[0];
    if (written !== undefined) written.text += text;
    if (kind === 'text') this.text = isSame || this.text === '' ? this.text + text : text;
    const delta =
      kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return [...before, ...this.#delta(written, delta)];
  }

  call(id: string, name: string): SDKMessage[] {
    this.#names.set(id, name);
    // Calls of one reply come one after the other.
    return [...this.#closeOpen(noTokens), ...this.#start('tool_use', id, name)];
  }

  writeInput(id: string, json: string): SDKMessage[] {
    const block = this.#open.find((one) => one.id === id);
    if (block === undefined) return [];
    block.text += json;
    return hasOtherFields(block.name) ? [] : this.#delta(block, jsonDelta(json));
  }

  /** No more of the reply comes: it is stored, and its calls begin. */
  close(): SDKMessage[] {
    return this.#finish('tool_use', noTokens);
  }

  end(stopReason: string, usage: Usage): SDKMessage[] {
    return this.#finish(stopReason, toApiUsage(usage));
  }

  #finish(stopReason: string, usage: ApiUsage): SDKMessage[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const messages = this.#closeOpen(usage);
    const delta = { stop_reason: stopReason, stop_sequence: null };
    messages.push(
      ...this.#partial({ type: 'message_delta', delta, usage }),
      ...this.#partial({ type: 'message_stop' }),
    );
    return messages;
  }

  #start(kind: OpenBlock['kind'], id = '', name = ''): SDKMessage[] {
    const block = { kind, index: this.#blocks, text: '', id, name };
    this.#blocks += 1;
    this.#open.push(block);
    return this.#partial({
      type: 'content_block_start',
      index: block.index,
      content_block: emptyBlock(block),
    });
  }

  #delta(block: OpenBlock | undefined, delta: object): SDKMessage[] {
    if (block === undefined) return [];
    return this.#partial({ type: 'content_block_delta', index: block.index, delta });
  }

  #closeOpen(usage: ApiUsage): SDKMessage[] {
    const open = this.#open;
    this.#open = [];
    return open.flatMap((block) => [
      // Fields that have other names there come in one piece.
      ...(hasOtherFields(block.name)
        ? this.#delta(block, jsonDelta(JSON.stringify(inputOf(block))))
        : []),
      this.#tell(block, usage),
      ...this.#partial({ type: 'content_block_stop', index: block.index }),
    ]);
  }

  #tell(block: OpenBlock, usage: ApiUsage): SDKMessage {
    const { session, parent, model } = this.facts;
    const uuid = uuidOf(`${this.frameId}/${block.index}`);
    this.told.push(uuid);
    return {
      type: 'assistant',
      message: {
        id: this.#messageId(),
        type: 'message',
        role: 'assistant',
        model,
        content: [toBlock(block)],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
      parent_tool_use_id: parent,
      session_id: session,
      uuid,
    };
  }

  #partial(event: { type: string } & Record<string, unknown>): SDKMessage[] {
    const { session, parent, partial } = this.facts;
    if (!partial) return [];
    this.#partials += 1;
    const uuid = uuidOf(`${this.frameId}/event/${this.#partials}`);
    return [{ type: 'stream_event', event, parent_tool_use_id: parent, session_id: session, uuid }];
  }

  #messageId(): string {
    return `msg_${uuidOf(this.frameId).replaceAll('-', '')}`;
  }
}

function emptyBlock({ kind, id, name }: OpenBlock): AssistantBlock {
  if (kind === 'text') return { type: 'text', text: '' };
  if (kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id, name: toTheirName(name), input: {} };
}

function toBlock({ kind, text, id, name }: OpenBlock): AssistantBlock {
  if (kind === 'text') return { type: 'text', text };
  if (kind === 'thinking') return { type: 'thinking', thinking: text, signature: '' };
  return { type: 'tool_use', id, name: toTheirName(name), input: inputOf({ name, text }) };
}

function inputOf({ name, text }: Pick<OpenBlock, 'name' | 'text'>): JsonObject {
  return toTheirInput(name, parse(text));
}

function jsonDelta(json: string): { type: string; partial_json: string } {
  return { type: 'input_json_delta', partial_json: json };
}

/** The input of a call; one that is no JSON is refused by the server, and has no field here. */
function parse(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    return isPlainObject(input) ? (input as JsonObject) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Tokens under the names of the Messages API. Pure. */
export function toApiUsage(usage: Usage): ApiUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
  };
}
