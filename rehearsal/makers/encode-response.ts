import type { WireEvent } from '../reply/reply-plan.js';
import type { ReplyIds } from './maker-wire.js';

/** An item of the output, open or done. */
type OutputItem = { type: string; id: string } & Readonly<Record<string, unknown>>;

type EventOf<Type extends WireEvent['type']> = Extract<WireEvent, { type: Type }>;

/** Encodes a reply as the events of a response: each item is added, grown and done, in its place of the output. */
export function encodeResponse(ids: ReplyIds): (event: WireEvent) => string {
  const response = new ResponseEvents(ids);
  return (event) => response.encode(event);
}

class ResponseEvents {
  #sequence = 0;
  readonly #output: OutputItem[] = [];
  #open: OutputItem | undefined;
  /** The text of the open item. */
  #grown = '';
  /** Why the response is incomplete; undefined: it is not. */
  #reason: string | undefined;
  #usage: object | null = null;

  constructor(private readonly ids: ReplyIds) {}

  encode(event: WireEvent): string {
    switch (event.type) {
      case 'message_start': {
        const response = this.#response('in_progress');
        const created = this.#frame('response.created', { response });
        return created + this.#frame('response.in_progress', { response });
      }
      case 'content_block_start':
        return this.#start(event);
      case 'content_block_delta':
        return this.#grow(event);
      case 'content_block_stop':
        return this.#open === undefined ? '' : this.#end(this.#open);
      case 'message_delta':
        this.#count(event);
        return '';
      case 'message_stop': {
        const status = this.#reason === undefined ? 'completed' : 'incomplete';
        return this.#frame(`response.${status}`, { response: this.#response(status) });
      }
      case 'ping':
      case 'error':
        return '';
    }
  }

  #start({ content_block: block }: EventOf<'content_block_start'>): string {
    const id = `${this.ids.id}_${this.#output.length}`;
    this.#open = openItem(block, id);
    this.#grown = '';
    const added = this.#frame('response.output_item.added', {
      output_index: this.#output.length,
      item: this.#open,
    });
    return added + this.#ofPart(this.#open, 'added', '');
  }

  #grow({ delta }: EventOf<'content_block_delta'>): string {
    if (delta.type === 'signature_delta' && this.#open !== undefined) {
      this.#open = { ...this.#open, encrypted_content: delta.signature };
    }
    const [type, text = ''] = growthOf(delta);
    if (type === undefined) return '';
    this.#grown += text;
    return this.#frame(type, { ...this.#place(this.#open), delta: text });
  }

  #end(open: OutputItem): string {
    const item = doneItem(open, this.#grown);
    const text = this.#grown;
    const place = this.#place(open);
    const done = {
      message: () => this.#frame('response.output_text.done', { ...place, text }),
      reasoning: () => this.#frame('response.reasoning_summary_text.done', { ...place, text }),
      function_call: () =>
        this.#frame('response.function_call_arguments.done', { ...place, arguments: text }),
    }[open.type];
    const frames = `${done?.() ?? ''}${this.#ofPart(open, 'done', text)}`;
    const ended = this.#frame('response.output_item.done', {
      output_index: this.#output.length,
      item,
    });
    this.#output.push(item);
    this.#open = undefined;
    return frames + ended;
  }

  /** The part of a message or a summary that begins or ends. */
  #ofPart(item: OutputItem, how: 'added' | 'done', text: string): string {
    const place = this.#place(item);
    if (item.type === 'message') {
      return this.#frame(`response.content_part.${how}`, { ...place, part: outputText(text) });
    }
    if (item.type !== 'reasoning') return '';
    const part = { type: 'summary_text', text };
    return this.#frame(`response.reasoning_summary_part.${how}`, { ...place, part });
  }

  #count({ delta, usage }: EventOf<'message_delta'>): void {
    this.#reason = incompleteReasons[delta.stop_reason ?? ''];
    const { prompt } = this.ids;
    this.#usage = {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + usage.output_tokens,
    };
  }

  #place(item: OutputItem | undefined): object {
    return {
      output_index: this.#output.length,
      item_id: item?.id,
      ...(item?.type === 'message' && { content_index: 0 }),
      ...(item?.type === 'reasoning' && { summary_index: 0 }),
    };
  }

  #response(status: string): object {
    const { id, model, created } = this.ids;
    return {
      id,
      object: 'response',
      created_at: created,
      model,
      status,
      output: this.#output,
      usage: this.#usage,
      error: null,
      service_tier: 'default',
      incomplete_details: status === 'incomplete' ? { reason: this.#reason } : null,
    };
  }

  #frame(type: string, fields: object): string {
    const event = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

const incompleteReasons: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  refusal: 'content_filter',
};

function openItem(block: EventOf<'content_block_start'>['content_block'], id: string): OutputItem {
  const status = 'in_progress';
  if (block.type === 'tool_use') {
    const { id: call_id, name } = block;
    return { type: 'function_call', id: `fc_${id}`, status, call_id, name, arguments: '' };
  }
  if (block.type === 'thinking') return { type: 'reasoning', id: `rs_${id}`, status, summary: [] };
  return { type: 'message', id: `msg_${id}`, status, role: 'assistant', content: [] };
}

function doneItem(open: OutputItem, grown: string): OutputItem {
  const item = { ...open, status: 'completed' };
  switch (open.type) {
    case 'function_call':
      return { ...item, arguments: grown === '' ? '{}' : grown };
    case 'reasoning':
      return { ...item, summary: grown === '' ? [] : [{ type: 'summary_text', text: grown }] };
    default:
      return { ...item, content: [outputText(grown)] };
  }
}

function outputText(text: string) {
  return { type: 'output_text', text, annotations: [] };
}

function growthOf(delta: EventOf<'content_block_delta'>['delta']): [type?: string, text?: string] {
  switch (delta.type) {
    case 'text_delta':
      return ['response.output_text.delta', delta.text];
    case 'thinking_delta':
      return ['response.reasoning_summary_text.delta', delta.thinking];
    case 'input_json_delta':
      return ['response.function_call_arguments.delta', delta.partial_json];
    case 'signature_delta':
    case 'citations_delta':
      return [];
  }
}
