import type { HarnessEvent } from '../client/turnpike-client.js';
import { isPlainObject, type JsonObject } from '../platform/json.js';
import { uuidOf, uuidOfSession } from './message-ids.js';
import { OpenReply, type ReplyFacts } from './open-reply.js';
import type {
  SDKAPIRetryMessage,
  SDKInterruptionMessage,
  SDKMessage,
  SDKPermissionDenial,
  SDKToolResultMessage,
  ToolResultBlock,
} from './sdk-messages.js';
import { toTheirInput, toTheirName } from './tool-names.js';

export interface FoldOptions {
  turnId: string;
  sessionId: string;
  /** Whether readers want the events of the Messages API, too. */
  partial: boolean;
  /** The call that a subagent works for. Absent: the turn is nobody's. */
  parent?: string;
}

/** A call that the turn made. */
interface SeenCall {
  /** The server's name of the tool. */
  name: string;
  input: JsonObject;
  /** Whether a person or the caller's program was asked about it. */
  wasAsked: boolean;
}

const overload = { error_status: 529, error: 'overloaded' } as const;

/** Programs read these fields for the server's reasons to ask a model again. */
const retryErrors = new Map<unknown, Pick<SDKAPIRetryMessage, 'error_status' | 'error'>>([
  ['overloaded', overload],
  ['rate-limited', { error_status: 429, error: 'rate_limit' }],
  ['unavailable', { error_status: null, error: 'server_error' }],
]);

/**
 * The messages of a turn, in the order in which programs of an agent SDK have them: a message for each block of a reply,
 * then one for each result. What it is not given it does not tell: a fold over the same events gives the same messages.
 */
export class TurnFold {
  /** Results of tools that were told, and an interruption. */
  results = 0;
  /** Whether a hook of the program ends the turn: it is told by the result alone. */
  isStoppedByHook = false;
  readonly denials: SDKPermissionDenial[] = [];
  readonly calls = new Map<string, SeenCall>();
  #model = '';
  /** Whether the last reply has calls. */
  #hasCalls = false;
  #reply: OpenReply | undefined;
  /** The last reply that had a text. */
  #lastText = '';
  /** Messages of replies that are void, and of which no message has said so yet. */
  #voided: string[] = [];
  /** Calls of the reply whose results are not told, in their order. */
  #awaited: string[] = [];
  /** Results that wait for those of earlier calls. */
  readonly #held = new Map<string, SDKMessage[]>();
  readonly #children = new Map<string, TurnFold>();
  readonly #facts: Omit<ReplyFacts, 'model'>;

  constructor(private readonly options: FoldOptions) {
    const { sessionId, parent = null, partial } = options;
    this.#facts = { session: uuidOfSession(sessionId), parent, partial };
  }

  /** The text of the last reply. */
  get text(): string {
    return this.#reply?.text ?? this.#lastText;
  }

  get model(): string {
    return this.#model;
  }

  /** Whether the model waits for results of calls, or would have. */
  get isInTools(): boolean {
    return this.#hasCalls;
  }

  /** Notes a denied call, once. */
  deny(denial: SDKPermissionDenial): void {
    const isKnown = this.denials.some(({ tool_use_id: id }) => id === denial.tool_use_id);
    if (!isKnown) this.denials.push(denial);
  }

  /** The messages of one more event. */
  take(event: HarnessEvent): SDKMessage[] {
    if (event.event.startsWith('subagent:')) return this.#ofSubagent(event);
    return this.#ofReply(event) ?? this.#ofCall(event) ?? [];
  }

  /** What an event says of a reply; undefined: it is about something else. */
  #ofReply(event: HarnessEvent): SDKMessage[] | undefined {
    if (event.event === 'session:init') this.#model = event.data.model;
    if (event.event === 'step:start') return this.#begin(event.id, event.data.step);
    if (event.event === 'step:discard') return this.#discard();
    if (event.event === 'step:end') return this.#end(event);
    const { event: name, data } = event;
    if (name === 'thinking:delta') {
      return this.#within((reply) => reply.write('thinking', data.text));
    }
    if (name === 'chat:delta') return this.#within((reply) => reply.write('text', data.text));
    // The provider's own calls have no result here.
    if (name === 'tool:request' && data.by === undefined) {
      return this.#within((reply) => reply.call(data.toolUseId, data.name));
    }
    if (name === 'tool:args') {
      return this.#within((reply) => reply.writeInput(data.toolUseId, data.json));
    }
    return undefined;
  }

  /** What an event says of a call, or of the conversation. */
  #ofCall({ id, event: name, data }: HarnessEvent): SDKMessage[] | undefined {
    if (name === 'tool:start') return this.#stored();
    if (name === 'tool:result') {
      const messages = this.#stored();
      this.#held.set(data.toolUseId, this.#result(id, data));
      return [...messages, ...this.#inOrder()];
    }
    if (name === 'approval:request') {
      const messages = this.#stored();
      const { toolUseId, name: tool, input } = data;
      this.calls.set(toolUseId, { name: tool, input: objectOf(input), wasAsked: true });
      return messages;
    }
    if (name === 'turn:end' && data.outcome === 'interrupted') return this.#interrupted(id);
    if (name !== 'system:notice') return undefined;
    if (data.kind === 'model-retry') return [this.#retried(id, data.metadata ?? {})];
    return data.kind === 'compact-summary' ? [this.#compacted(id)] : undefined;
  }

  #interrupted(frameId: string): SDKInterruptionMessage[] {
    if (this.isStoppedByHook || this.options.parent !== undefined) return [];
    this.results += 1;
    return [
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'text', text: 'The turn was interrupted.' }] },
        parent_tool_use_id: null,
        session_id: this.#facts.session,
        uuid: interruptionUuid(frameId),
      },
    ];
  }

  /** The results that no earlier call keeps back. Results of calls at the same time come as they end. */
  #inOrder(): SDKMessage[] {
    const told: SDKMessage[] = [];
    const [first] = this.#held.keys();
    if (first !== undefined && !this.#awaited.includes(first)) this.#awaited.unshift(first);
    for (let next = this.#awaited[0]; next !== undefined; next = this.#awaited[0]) {
      const held = this.#held.get(next);
      if (held === undefined) break;
      told.push(...held);
      this.#held.delete(next);
      this.#awaited.shift();
    }
    return told;
  }

  /** All results that are held back: no more come. */
  #rest(): SDKMessage[] {
    const told = [...this.#held.values()].flat();
    this.#held.clear();
    this.#awaited = [];
    return told;
  }

  #begin(frameId: string, step: number): SDKMessage[] {
    this.#hasCalls = false;
    this.#reply = new OpenReply({ ...this.#facts, model: this.#model }, frameId, step);
    return this.#reply.begin();
  }

  #within(write: (reply: OpenReply) => SDKMessage[]): SDKMessage[] {
    return this.#reply === undefined ? [] : this.#told(write(this.#reply));
  }

  /** The reply is whole: no more of it comes. */
  #stored(): SDKMessage[] {
    return this.#within((reply) => reply.close());
  }

  #end(event: Extract<HarnessEvent, { event: 'step:end' }>): SDKMessage[] {
    const { stopReason, usage } = event.data;
    const messages = [...this.#within((reply) => reply.end(stopReason, usage)), ...this.#rest()];
    if (this.#reply !== undefined && this.#reply.text !== '') this.#lastText = this.#reply.text;
    this.#reply = undefined;
    return messages;
  }

  #discard(): SDKMessage[] {
    this.#voided.push(...(this.#reply?.told ?? []));
    this.#reply = undefined;
    return [];
  }

  /** Notes the calls of messages, and names what the first of them takes the place of. */
  #told(messages: SDKMessage[]): SDKMessage[] {
    for (const message of messages) {
      if (message.type !== 'assistant') continue;
      if (this.#voided.length > 0) message.supersedes = this.#voided.splice(0);
      const [block] = message.message.content;
      if (block.type !== 'tool_use') continue;
      const call = this.#reply?.nameOf(block.id) ?? block.name;
      this.calls.set(block.id, { name: call, input: block.input, wasAsked: false });
      this.#awaited.push(block.id);
      this.#hasCalls = true;
    }
    return messages;
  }

  #result(
    frameId: string,
    data: Extract<HarnessEvent, { event: 'tool:result' }>['data'],
  ): SDKMessage[] {
    const { toolUseId: id, output, status, ok } = data;
    const { session, parent } = this.#facts;
    this.results += 1;
    const block: ToolResultBlock = {
      type: 'tool_result',
      tool_use_id: id,
      content: output,
      ...(ok ? {} : { is_error: true }),
    };
    const message: SDKToolResultMessage = {
      type: 'user',
      message: { role: 'user', content: [block] },
      parent_tool_use_id: parent,
      session_id: session,
      uuid: uuidOf(frameId),
      tool_use_result: output,
    };
    return status === 'denied' ? [...this.#denied(frameId, data), message] : [message];
  }

  #denied(
    frameId: string,
    { toolUseId: id, name, output }: Extract<HarnessEvent, { event: 'tool:result' }>['data'],
  ): SDKMessage[] {
    const call = this.calls.get(id);
    const toolName = toTheirName(call?.name ?? name);
    this.deny({
      tool_name: toolName,
      tool_use_id: id,
      tool_input: toTheirInput(name, call?.input),
    });
    // Who was asked knows it.
    if (call?.wasAsked === true) return [];
    return [
      {
        type: 'system',
        subtype: 'permission_denied',
        tool_name: toolName,
        tool_use_id: id,
        message: output,
        session_id: this.#facts.session,
        uuid: uuidOf(`${frameId}/denied`),
      },
    ];
  }

  /** The server asks a model again that gave no answer. */
  #retried(frameId: string, metadata: Readonly<Record<string, unknown>>): SDKMessage {
    const { afterMs, retry, maxRetries, reason } = metadata;
    return {
      type: 'system',
      subtype: 'api_retry',
      attempt: Number(retry),
      max_retries: Number(maxRetries),
      retry_delay_ms: Number(afterMs),
      ...(retryErrors.get(reason) ?? overload),
      session_id: this.#facts.session,
      uuid: uuidOf(frameId),
    };
  }

  #compacted(frameId: string): SDKMessage {
    return {
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto' },
      session_id: this.#facts.session,
      uuid: uuidOf(frameId),
    };
  }

  #ofSubagent(event: HarnessEvent): SDKMessage[] {
    const { session } = this.#facts;
    if (event.event === 'subagent:start') {
      const { childTurnId, toolUseId, agent } = event.data;
      const { sessionId } = this.options;
      const child = { turnId: childTurnId, sessionId, partial: false, parent: toolUseId };
      this.#children.set(childTurnId, new TurnFold(child));
      const started = { task_id: childTurnId, tool_use_id: toolUseId, description: agent };
      const uuid = uuidOf(event.id);
      return [
        ...this.#stored(),
        { type: 'system', subtype: 'task_started', ...started, session_id: session, uuid },
      ];
    }
    if (event.event === 'subagent:end') {
      const { childTurnId, toolUseId, outcome } = event.data;
      const status =
        outcome === 'failed' ? 'failed' : outcome === 'interrupted' ? 'stopped' : 'completed';
      const ended = { task_id: childTurnId, tool_use_id: toolUseId, status } as const;
      const uuid = uuidOf(event.id);
      return [
        { type: 'system', subtype: 'task_notification', ...ended, session_id: session, uuid },
      ];
    }
    const inner = innerEvent(event);
    return inner === undefined
      ? []
      : (this.#children.get(inner.childTurnId)?.take(inner.event) ?? []);
  }
}

/** The uuid of the message that tells an interruption. @param frameId the id of the event that ended the turn. */
export function interruptionUuid(frameId: string): string {
  return uuidOf(`${frameId}/interrupted`);
}

/** An event of a subagent's own stream, as its own reader has it; undefined for one that is about a subagent. */
export function innerEvent(
  event: HarnessEvent,
): { event: HarnessEvent; childTurnId: string } | undefined {
  if (!event.event.startsWith('subagent:')) return undefined;
  const data: object = event.data;
  if (!('childTurnId' in data) || typeof data.childTurnId !== 'string') return undefined;
  // The server puts this prefix before the names of a subagent's frames, and leaves their data as it is.
  const inner = { ...event, event: event.event.slice('subagent:'.length) } as HarnessEvent;
  return { event: inner, childTurnId: data.childTurnId };
}

function objectOf(value: unknown): JsonObject {
  // Inputs of calls are JSON: they came in a frame.
  return isPlainObject(value) ? (value as JsonObject) : {};
}
