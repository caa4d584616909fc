import {
  assertNever,
  compact,
  isPlainObject,
  type JsonObject,
  printJson,
} from '../../../platform/face.js';
import type { EventOf, Source, TurnEvent, Usage } from '../../../events/face.js';
import { isRunning, type OpenCall, type Question, type TurnView } from '../../framing/face.js';
import type {
  Annotation,
  McpCallItem,
  MessageItem,
  Numbering,
  OutputText,
  ReasoningItem,
  ResponseEventBody,
  ResponseFacts,
  ResponseItem,
  ResponseProgress,
} from './response-frames.js';

/** A response: a segment of a turn. */
export interface ResponseDescription {
  facts: ResponseFacts;
  /** Part of the items' ids, as no id may come twice in a conversation. */
  turnKey: string;
  /** Names of the tools that the client runs. */
  clientTools: readonly string[];
  /** Names of those whose input is text. */
  customTools: readonly string[];
  /** Namespaces of the client's tools: their names there, by those under which the model has them. */
  namespaces: readonly { name: string; tools: readonly { name: string; offered: string }[] }[];
  /** Whether the client is told of approvals as text, because it takes none as items. */
  hidesApprovals: boolean;
  /** Approvals whose answers the response begins with; none: the turn's first response. */
  answered: readonly string[];
}

/** A text that grows. */
export interface OpenText {
  kind: 'message' | 'reasoning';
  index: number;
  id: string;
  text: string;
  annotations: readonly Annotation[];
}

export interface StepItem {
  step: number;
  /** The attempt that it began in. */
  attempt: number;
  /** Empty, where the item was taken back: it keeps its index. */
  item: ResponseItem;
  isTakenBack?: true;
}

/** The view of the turn, and the response so far. */
export interface ResponsesState {
  view: TurnView;
  hasBegun: boolean;
  numbering: Numbering;
  progress: Omit<ResponseProgress, 'output'>;
  /** The step of items that are added. */
  step: number;
  /** The response's items; that of `text` as it began. */
  items: readonly StepItem[];
  text: OpenText | undefined;
  /** Indexes of the items of calls that run. */
  calls: ReadonlyMap<string, number>;
  /** Usage of the steps that ended before the response, and in it. */
  usageBefore: Usage;
  usage: Usage;
}

/** A response while one event of its turn is applied. */
export interface Draft {
  readonly wanted: ResponseDescription;
  readonly event: TurnEvent;
  state: ResponsesState;
  events: ResponseEventBody[];
}

export function set(draft: Draft, change: Partial<ResponsesState>): void {
  draft.state = { ...draft.state, ...change };
}

/** An id of an item that begins with the event. */
export function itemId({ wanted, event }: Draft, prefix: string): string {
  return `${prefix}_${wanted.turnKey}_${event.attempt}_${event.seq}`;
}

/** Adds an item that is whole, or its beginning. @returns its index. */
function addItem(draft: Draft, item: ResponseItem): number {
  const { items, step } = draft.state;
  const index = items.length;
  set(draft, { items: [...items, { step, attempt: draft.event.attempt, item }] });
  draft.events.push({ type: 'response.output_item.added', output_index: index, item });
  return index;
}

function endItem(draft: Draft, index: number, item: ResponseItem): void {
  const { items } = draft.state;
  const begun = items[index];
  if (begun === undefined) throw new Error(`There is no item ${index}`);
  set(draft, { items: items.with(index, { ...begun, item }) });
  draft.events.push({ type: 'response.output_item.done', output_index: index, item });
}

/** Appends to the open text; where a text of the other kind is open, or none, a new item begins. */
export function growText(
  draft: Draft,
  { kind, id }: Pick<OpenText, 'kind' | 'id'>,
  delta: string,
): void {
  const text = openText(draft, kind, id);
  set(draft, { text: { ...text, text: text.text + delta } });
  const place = { item_id: text.id, output_index: text.index };
  draft.events.push(
    kind === 'message'
      ? { type: 'response.output_text.delta', ...place, content_index: 0, delta, logprobs: [] }
      : { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta },
  );
}

/** The open text of a kind, or a new one. */
function openText(draft: Draft, kind: OpenText['kind'], id: string): OpenText {
  const { text } = draft.state;
  if (text?.kind === kind) return text;
  closeText(draft);
  const index = addItem(
    draft,
    kind === 'message'
      ? { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] }
      : { type: 'reasoning', id, status: 'in_progress', summary: [] },
  );
  const place = { item_id: id, output_index: index };
  draft.events.push(
    kind === 'message'
      ? { type: 'response.content_part.added', ...place, content_index: 0, part: textPart('', []) }
      : {
          type: 'response.reasoning_summary_part.added',
          ...place,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        },
  );
  const opened = { kind, id, index, text: '', annotations: [] };
  set(draft, { text: opened });
  return opened;
}

/** Ends the open text. @param status `incomplete`: the reply was cut off in it. */
export function closeText(draft: Draft, status: 'completed' | 'incomplete' = 'completed'): void {
  const { text: open } = draft.state;
  if (open === undefined) return;
  const { kind, id, index, text, annotations } = open;
  const place = { item_id: id, output_index: index };
  if (kind === 'message') {
    const at = { ...place, content_index: 0 as const };
    const part = textPart(text, annotations);
    draft.events.push(
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    );
  } else {
    const at = { ...place, summary_index: 0 as const };
    const part = { type: 'summary_text', text } as const;
    draft.events.push(
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    );
  }
  set(draft, { text: undefined });
  endItem(draft, index, wholeItem(open, status));
}

/**
 * Takes items back. Each stays where it is, and empty, as no index may come twice: version 7 of the package `openai`
 * refuses that, and an item that does not end.
 */
export function takeBack(draft: Draft, isTaken: (item: StepItem) => boolean): void {
  const { items, text, calls } = draft.state;
  const taken = new Set(
    items.flatMap((one, index) => (one.isTakenBack !== true && isTaken(one) ? index : [])),
  );
  const isOpen = (index: number) => index === text?.index || [...calls.values()].includes(index);
  set(draft, {
    items: items.map((one, index) =>
      taken.has(index) ? { ...one, item: emptied(one.item), isTakenBack: true } : one,
    ),
    calls: new Map([...calls].filter(([, index]) => !taken.has(index))),
    text: text !== undefined && taken.has(text.index) ? undefined : text,
  });
  for (const index of taken) {
    const item = draft.state.items[index]?.item;
    if (item !== undefined && isOpen(index)) {
      draft.events.push({ type: 'response.output_item.done', output_index: index, item });
    }
  }
}

function emptied(item: ResponseItem): ResponseItem {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'incomplete', content: [] };
    case 'reasoning':
      return { ...item, status: 'incomplete', summary: [] };
    case 'mcp_call':
      return { ...item, status: 'incomplete', output: null, error: null };
    // What a client is to answer ends its response: it is not taken back.
    case 'function_call':
    case 'custom_tool_call':
    case 'mcp_approval_request':
      return item;
    default:
      return assertNever(item);
  }
}

/** The open text as an item so far. */
export function wholeItem(
  { kind, id, text, annotations }: OpenText,
  status: MessageItem['status'],
): MessageItem | ReasoningItem {
  return kind === 'message'
    ? { type: 'message', id, role: 'assistant', status, content: [textPart(text, annotations)] }
    : { type: 'reasoning', id, status, summary: [{ type: 'summary_text', text }] };
}

function textPart(text: string, annotations: readonly Annotation[]): OutputText {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

/** Adds a source to the open message, or to a new one. */
export function cite(draft: Draft, source: Source): void {
  const message = openText(draft, 'message', itemId(draft, 'msg'));
  const annotation = describeSource(source, message.text.length);
  set(draft, { text: { ...message, annotations: [...message.annotations, annotation] } });
  draft.events.push({
    type: 'response.output_text.annotation.added',
    item_id: message.id,
    output_index: message.index,
    content_index: 0,
    annotation_index: message.annotations.length,
    annotation,
  });
}

function describeSource({ url, title }: Source, index: number): Annotation {
  if (url !== undefined && /^https?:\/\//i.test(url)) {
    return { type: 'url_citation', url, title, start_index: index, end_index: index };
  }
  return { type: 'file_citation', file_id: title, filename: title, index };
}

/**
 * A call that the server runs begins: its item has the whole input. Nothing of a call is sent before, as a call that
 * the model asked for may be refused, be asked about or be taken back.
 */
export function startCall(draft: Draft, event: EventOf<'tool.started'>, call: OpenCall): void {
  // The call runs again after a takeover.
  if (isRunning(call)) return;
  const given = printJson(event.input ?? {});
  const index = addCall(draft, call, given);
  const place = { item_id: itemId(draft, 'mcp'), output_index: index };
  draft.events.push(
    { type: 'response.mcp_call.in_progress', ...place },
    { type: 'response.mcp_call_arguments.done', ...place, arguments: given },
  );
}

/** A call ends: also one that never began, or began in an earlier response. */
export function endCall(
  draft: Draft,
  { callId, name, status, output }: EventOf<'tool.ended'>,
  call: OpenCall | undefined,
): void {
  const begun = draft.state.calls.get(callId);
  const given = call !== undefined && isRunning(call) ? printJson(call.input ?? {}) : '{}';
  const index = begun ?? addCall(draft, { ...call, callId, name }, given);
  const isSuccess = status === 'success';
  draft.events.push({
    type: isSuccess ? 'response.mcp_call.completed' : 'response.mcp_call.failed',
    item_id: callItem(draft, index).id,
    output_index: index,
  });
  closeCall(
    draft,
    callId,
    isSuccess ? { status: 'completed', output } : { status: 'failed', error: output },
  );
}

/** Closes calls that go on beyond the response, or ended with their turn. */
export function closeCalls(draft: Draft): void {
  for (const callId of draft.state.calls.keys()) {
    closeCall(draft, callId, { status: 'incomplete' });
  }
}

function addCall(
  draft: Draft,
  { callId, name, approvedBy }: Pick<OpenCall, 'callId' | 'name'> & Partial<OpenCall>,
  given: string,
): number {
  const index = addItem(draft, {
    type: 'mcp_call',
    id: itemId(draft, 'mcp'),
    server_label: 'turnpike',
    name,
    arguments: given,
    status: 'in_progress',
    output: null,
    error: null,
    approval_request_id: approvedBy ?? null,
  });
  set(draft, { calls: new Map(draft.state.calls).set(callId, index) });
  return index;
}

function closeCall(draft: Draft, callId: string, result: Partial<McpCallItem>): void {
  const calls = new Map(draft.state.calls);
  const index = calls.get(callId) ?? -1;
  calls.delete(callId);
  set(draft, { calls });
  endItem(draft, index, { ...callItem(draft, index), ...result });
}

function callItem({ state }: Draft, index: number): McpCallItem {
  const begun = state.items[index]?.item;
  if (begun?.type !== 'mcp_call') throw new Error(`The item ${index} is no call`);
  return begun;
}

/**
 * The questions that the turn waits for, once it waits: an item that a client finds at the end of a response is
 * one that it is to answer. A call that was refused before anybody was asked is no item of the client's.
 */
export function askAll(draft: Draft, waitsFor: readonly string[]): void {
  for (const approvalId of waitsFor) {
    const question = draft.state.view.questions.get(approvalId);
    if (question !== undefined) ask(draft, question);
  }
}

function ask(draft: Draft, { event }: Question): void {
  const { approvalId, name, input, kind, awaits, question } = event;
  const { customTools, hidesApprovals } = draft.wanted;
  const given = printJson(input ?? {});
  if (kind === 'client-tool') {
    if (customTools.includes(name)) callCustom(draft, event);
    else callFunction(draft, event, given);
  } else if (hidesApprovals) {
    // For clients that have no other use for it: a person gives it elsewhere.
    const what = question === undefined ? 'an approval' : `an answer: ${describeAsked(question)}`;
    const waits = `The call ${name}(${given}) waits for ${what}`;
    const text =
      awaits === undefined
        ? `[${waits}. Give it in the console, or send POST /api/harness/approvals/${approvalId}; the turn goes on then.]`
        : `[${waits} by ${describeRoles(awaits)}. They give it in the console, or send POST /api/harness/awaited-approvals/${approvalId}; the turn goes on then.]`;
    growText(draft, { kind: 'message', id: `msg_${approvalId}` }, text);
    closeText(draft);
  } else {
    const request = { type: 'mcp_approval_request', id: approvalId } as const;
    const call = { ...request, server_label: 'turnpike', name, arguments: given } as const;
    const item = { ...call, ...compact({ awaits, question }) };
    endItem(draft, addItem(draft, item), item);
  }
}

/** What a call asks: the server's message, and a link whole. */
function describeAsked({ message, url }: JsonObject): string {
  const texts = [message, url].filter((text) => typeof text === 'string');
  return texts.filter((text) => text !== '').join(' ');
}

function describeRoles(awaits: readonly { by: readonly string[] }[]): string {
  const roles = awaits.map(({ by }) => `people with the role ${by.join(' or ')}`);
  return [...new Set(roles)].join(', and ');
}

type Asked = EventOf<'approval.requested'>;

/** The name of a client's tool as its request has it. */
function ownName({ wanted }: Draft, offered: string): { name: string; namespace?: string } {
  for (const { name: namespace, tools } of wanted.namespaces) {
    const own = tools.find((tool) => tool.offered === offered);
    if (own !== undefined) return { name: own.name, namespace };
  }
  return { name: offered };
}

function callFunction(draft: Draft, { approvalId, name: offered }: Asked, given: string): void {
  const id = `fc_${approvalId}`;
  const own = ownName(draft, offered);
  const call = { type: 'function_call', id, call_id: approvalId, ...own } as const;
  const index = addItem(draft, { ...call, arguments: '', status: 'in_progress' });
  const place = { item_id: id, output_index: index };
  draft.events.push(
    { type: 'response.function_call_arguments.delta', ...place, delta: given },
    { type: 'response.function_call_arguments.done', ...place, name: own.name, arguments: given },
  );
  endItem(draft, index, { ...call, arguments: given, status: 'completed' });
}

/** A tool that takes text is offered as one with a field `input`. */
function callCustom(draft: Draft, { approvalId, name, input }: Asked): void {
  const { input: text } = isPlainObject(input) ? input : {};
  const given = typeof text === 'string' ? text : printJson(input ?? {});
  const id = `ctc_${approvalId}`;
  const call = {
    type: 'custom_tool_call',
    id,
    call_id: approvalId,
    ...ownName(draft, name),
  } as const;
  const index = addItem(draft, { ...call, input: '', status: 'in_progress' });
  const place = { item_id: id, output_index: index };
  draft.events.push(
    { type: 'response.custom_tool_call_input.delta', ...place, delta: given },
    { type: 'response.custom_tool_call_input.done', ...place, input: given },
  );
  endItem(draft, index, { ...call, input: given, status: 'completed' });
}
