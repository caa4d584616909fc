import { noUsage } from '../../events/turn-event.js';
import { parseJson, printJson } from '../../platform/exact-json.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { AssistantPart, Usage } from '../../storage/shapes/stored-step.js';
import { unwrapCall } from '../anthropic/tool-search.js';
import { estimateText } from '../estimate-tokens.js';
import { INVALID_JSON, USE_TOOL, type ModelEvent, type StopReason } from '../model-types.js';
import { malformedStream, streamClosedEarly } from '../provider-errors.js';
import type { StreamPart } from './specification.js';

/** A part of the reply between its start and its end. What grows is in pieces. */
interface OpenPart {
  kind: 'text' | 'thinking' | 'call';
  id: string;
  pieces: string[];
  name: string;
  /** Whether it calls `use_tool`: its own tool is known at its end. */
  isWrapped: boolean;
  meta: Record<string, unknown>;
  /** Set once it is whole; it is given when those before it are. */
  ended?: AssistantPart;
}

/** Tokens of these models' tokenizers, by those of Claude's up to 4.6: an estimate that is too high is the safe one. */
export const TOKENS = { tokenScale: 1.3 };

export interface PartReading {
  /** Under which what only the maker can read is stored. */
  maker: string;
  /** Tokens of the request, until the maker says how many there were. */
  estimated: number;
  /** The tools that are called by `use_tool`. Absent: all are called by their names. */
  wrapped?: ReadonlySet<string> | undefined;
}

/**
 * Reads the parts of a package's stream, one after the other. `part.ended` comes in the order in which parts began: some
 * makers begin the text before they end the thinking. What the maker ran itself, and files that it made, are left out.
 *
 * @returns reads a part. @throws (the reading) an error part's own error, to be mapped; TypedError for a stream that broke off.
 */
export function readParts(reading: PartReading): (part: StreamPart) => ModelEvent[] {
  const reader = new PartReader(reading);
  return (part) => reader.read(part);
}

class PartReader {
  readonly #open: OpenPart[] = [];
  #begun = false;
  #hasCall = false;
  #usage: Usage;
  /** The pieces of the reply: they are estimated where the maker does not count. */
  readonly #streamed: string[] = [];
  /** What the maker's package does not honour. */
  #notHonoured: string[] = [];
  #identity: { responseId?: string; model?: string } = {};

  constructor(private readonly reading: PartReading) {
    this.#usage = { ...noUsage, inputTokens: reading.estimated };
  }

  read(part: StreamPart): ModelEvent[] {
    switch (part.type) {
      case 'stream-start':
        this.#notHonoured = warningsOf(part['warnings']);
        return [];
      case 'response-metadata':
        this.#identity = {
          ...(typeof part['id'] === 'string' ? { responseId: part['id'] } : {}),
          ...(typeof part['modelId'] === 'string' ? { model: part['modelId'] } : {}),
        };
        return [];
      case 'text-start':
      case 'reasoning-start':
        this.#openPart(part, kindOf(part));
        return this.#begin([]);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#grow(part, kindOf(part));
      case 'text-end':
      case 'reasoning-end': {
        const open = this.#find(part, kindOf(part));
        keepMarks(open, part);
        open.ended = this.#whole(open);
        return this.#settle();
      }
      case 'tool-input-start':
        return part['providerExecuted'] === true ? [] : this.#beginCall(part);
      case 'tool-input-delta': {
        const open = this.#open.find(({ kind, id }) => kind === 'call' && id === part['id']);
        return open === undefined ? [] : this.#growCall(open, text(part['delta']));
      }
      case 'tool-call':
        return part['providerExecuted'] === true ? [] : this.#endCall(part);
      case 'source':
        return this.#cite(part);
      case 'error':
        throw part['error'];
      case 'tool-approval-request':
        throw malformedStream('the maker asks for an approval of its own tool', this.reading.maker);
      case 'finish':
        return this.#finish(part);
      default:
        return [];
    }
  }

  #begin(events: ModelEvent[]): ModelEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [{ type: 'started', usage: this.#usage, ...this.#identity }, ...events];
  }

  #openPart(part: StreamPart, kind: OpenPart['kind'], name = ''): OpenPart {
    const isWrapped = this.reading.wrapped !== undefined && name === USE_TOOL;
    const id = text(part['id'] ?? part['toolCallId']);
    const open: OpenPart = { kind, id, pieces: [], name, isWrapped, meta: {} };
    keepMarks(open, part);
    this.#open.push(open);
    return open;
  }

  #find(part: StreamPart, kind: OpenPart['kind']): OpenPart {
    const found = this.#open.findLast(
      (one) => one.kind === kind && one.id === part['id'] && one.ended === undefined,
    );
    if (found === undefined)
      throw malformedStream(`a ${part.type} came before its start`, this.reading.maker);
    return found;
  }

  #grow(part: StreamPart, kind: 'text' | 'thinking'): ModelEvent[] {
    const open = this.#find(part, kind);
    keepMarks(open, part);
    const delta = text(part['delta']);
    if (delta === '') return [];
    open.pieces.push(delta);
    this.#streamed.push(delta);
    return [{ type: kind === 'text' ? 'text.delta' : 'thinking.delta', text: delta }];
  }

  #beginCall(part: StreamPart): ModelEvent[] {
    const open = this.#openPart(part, 'call', text(part['toolName']));
    if (open.isWrapped) return this.#begin([]);
    return this.#begin([{ type: 'tool.requested', callId: open.id, name: open.name }]);
  }

  #growCall(open: OpenPart, json: string): ModelEvent[] {
    if (json === '') return [];
    open.pieces.push(json);
    return open.isWrapped ? [] : [{ type: 'tool.args.delta', callId: open.id, json }];
  }

  #endCall(part: StreamPart): ModelEvent[] {
    const events: ModelEvent[] = [];
    const known = this.#open.find(
      ({ kind, id }) => kind === 'call' && id === text(part['toolCallId']),
    );
    if (known === undefined) events.push(...this.#beginCall({ ...part, id: part['toolCallId'] }));
    const open = known ?? this.#open.at(-1);
    if (open === undefined) return events;
    const input = text(part['input']);
    if (known === undefined) events.push(...this.#growCall(open, input));
    keepMarks(open, part);
    open.pieces = [input];
    this.#streamed.push(input);
    open.ended = this.#whole(open);
    this.#hasCall = true;
    if (open.isWrapped && open.ended.type === 'tool_use') {
      const { id: callId, name, input: asked } = open.ended;
      events.push({ type: 'tool.requested', callId, name });
      events.push({ type: 'tool.args.delta', callId, json: printJson(asked) });
    }
    return [...this.#begin(events), ...this.#settle()];
  }

  #cite(part: StreamPart): ModelEvent[] {
    if (part['sourceType'] !== 'url') return [];
    const url = text(part['url']);
    const source = { type: 'web', url, title: text(part['title']) || url };
    return this.#begin([{ type: 'source.cited', source }]);
  }

  /** Gives the parts that are whole, up to the first that is not. */
  #settle(): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (;;) {
      const part = this.#open[0]?.ended;
      if (part === undefined) return events;
      this.#open.shift();
      events.push({ type: 'part.ended', part });
    }
  }

  #whole(open: OpenPart): AssistantPart {
    const { maker, wrapped } = this.reading;
    const words = open.pieces.join('');
    const hasMarks = Object.keys(open.meta).length > 0;
    // The marks are JSON: they came over a wire of it.
    const meta = { [maker]: open.meta as JsonObject };
    switch (open.kind) {
      case 'text':
        return { type: 'text', text: words, ...(hasMarks && { meta }) };
      case 'thinking':
        return { type: 'thinking', thinking: words, signature: '', meta };
      case 'call': {
        const call = { name: open.name, input: parseInput(words) };
        const { id } = open;
        const own = open.isWrapped ? (unwrapCall(call, wrapped) ?? call) : call;
        return { type: 'tool_use', id, ...own, ...(hasMarks && { meta }) };
      }
    }
  }

  #finish(part: StreamPart): ModelEvent[] {
    const { unified, raw } = object(part['finishReason']);
    const streamed = estimateText(this.#streamed.join(''), TOKENS);
    this.#usage = usageOf(part['usage'], { ...this.#usage, outputTokens: streamed });
    const reason = stopReasonOf(text(unified), {
      maker: this.reading.maker,
      hasCall: this.#hasCall,
      hasRaw: text(raw) !== '',
    });
    // The last part of a cut reply is kept as it was streamed.
    for (const open of this.#open) open.ended ??= this.#whole(open);
    const unknown = reason === undefined ? { unknownReason: text(raw) } : {};
    return [
      ...this.#begin([]),
      ...this.#settle(),
      {
        type: 'ended',
        stopReason: reason ?? 'end_turn',
        usage: this.#usage,
        ...unknown,
        ...(isCounted(part['usage']) ? {} : { isEstimated: true }),
        ...(this.#notHonoured.length > 0 && { notHonoured: this.#notHonoured }),
      },
    ];
  }
}

function warningsOf(warnings: unknown): string[] {
  return (Array.isArray(warnings) ? warnings : []).map((warning) => {
    const { feature, details, message } = object(warning);
    return [feature, details, message]
      .map(text)
      .filter((one) => one !== '')
      .join(': ');
  });
}

/**
 * The reason as the loop knows it; undefined for one that it does not know. Pure.
 *
 * @throws TypedError for a reply that broke off, and for one that its maker calls broken.
 */
function stopReasonOf(
  unified: string,
  { maker, hasCall, hasRaw }: { maker: string; hasCall: boolean; hasRaw: boolean },
): StopReason | undefined {
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'interrupted':
      throw streamClosedEarly(maker);
    case 'error':
      throw malformedStream('the maker ended the reply with an error', maker);
    case 'stop':
    case 'tool-calls':
      return hasCall ? 'tool_use' : 'end_turn';
    default:
      if (!hasRaw) throw streamClosedEarly(maker);
      return hasCall ? 'tool_use' : undefined;
  }
}

/** The usage of a `finish`. What is not said, or is zero where there was a request, stays as it was estimated. Pure. */
function usageOf(report: unknown, before: Usage): Usage {
  const { inputTokens, outputTokens } = object(report);
  const input = object(inputTokens);
  const output = object(outputTokens);
  const cacheReadTokens = count(input['cacheRead']) ?? 0;
  const cacheWriteTokens = count(input['cacheWrite']) ?? 0;
  const total = count(input['total']) ?? 0;
  const plain = count(input['noCache']) ?? total - cacheReadTokens - cacheWriteTokens;
  const isSaid = total > 0 || plain > 0;
  const thinkingTokens = count(output['reasoning']);
  return {
    ...before,
    ...(isSaid ? { inputTokens: Math.max(0, plain), cacheReadTokens, cacheWriteTokens } : {}),
    outputTokens: count(output['total']) || before.outputTokens,
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
  };
}

/** Whether a maker said how many tokens the reply had. */
function isCounted(report: unknown): boolean {
  return (count(object(object(report)['outputTokens'])['total']) ?? 0) > 0;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The last marks of a start, a delta or an end win. */
function keepMarks(open: OpenPart, part: StreamPart): void {
  const { providerMetadata } = part;
  if (isPlainObject(providerMetadata)) open.meta = { ...open.meta, ...providerMetadata };
}

function kindOf({ type }: StreamPart): 'text' | 'thinking' {
  return type.startsWith('text') ? 'text' : 'thinking';
}

/** The input of a call. Broken JSON is kept as text: the loop answers the call with an error. */
function parseInput(json: string): JsonObject {
  try {
    const input = json.trim() === '' ? {} : parseJson(json);
    return isPlainObject(input) ? (input as JsonObject) : { [INVALID_JSON]: json };
  } catch {
    return { [INVALID_JSON]: json };
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
