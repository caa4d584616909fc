import { type ServerResponse } from 'node:http';

/** A part of an answer, for answers whose parts have an order of their own. */
export type ScriptedPart =
  | { thinking: string }
  /** `pieces` are its deltas; by default it is one. */
  | { text: string; pieces?: readonly string[] }
  /** A call with its input as JSON, to the letter. */
  | { call: { name: string; input: string; id?: string } };

/** One answer of the model, in the order thinking, text, parts, call, end. */
export interface ScriptedReply {
  /** An error instead of a stream, with `code` in its details. */
  refuse?: { status: number; type: string; message: string; code?: string };
  thinking?: string;
  text?: string;
  parts?: readonly ScriptedPart[];
  /** A call with its input as JSON, to the letter; the reply ends with it. */
  call?: { name: string; input: string };
  /** Ends the stream with an error event of this type. */
  error?: string;
  /** Default: `tool_use` with a call, otherwise `end_turn`. */
  stop?: string;
  /** Category of a refusal. */
  category?: string;
  /** Sends nothing more, and keeps the stream open. */
  hangs?: boolean;
  /** Default: `msg_1`. */
  id?: string;
}

/** Answers a request for a stream with a reply, in the provider's format. */
export function playReply(reply: ScriptedReply, model: string, response: ServerResponse): void {
  if (reply.refuse !== undefined) {
    const { status, type, message, code } = reply.refuse;
    const details = code === undefined ? {} : { details: { error_code: code } };
    const body = {
      type: 'error',
      error: { type, message, ...details },
      request_id: 'req_scripted',
    };
    const headers = { 'content-type': 'application/json', 'request-id': 'req_scripted' };
    response.writeHead(status, headers).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_scripted' });
  for (const event of eventsOf(reply, model)) {
    response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  if (reply.hangs !== true) response.end();
}

function eventsOf(reply: ScriptedReply, model: string): Record<string, unknown>[] {
  const { thinking, text, parts: between = [], call, error, hangs, category, id = 'msg_1' } = reply;
  const hasCall = call !== undefined || between.some((part) => 'call' in part);
  const { stop = hasCall ? 'tool_use' : 'end_turn' } = reply;
  const usage = { input_tokens: 100, output_tokens: 1 };
  const parts = [
    ...(thinking === undefined ? [] : [thinkingPart(thinking)]),
    ...(text === undefined ? [] : [textPart(text)]),
    ...between.map(partOf),
    ...(call === undefined ? [] : [callPart(call)]),
  ];
  const blocks = parts.flatMap(({ start, deltas }, index) => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const message = { id, type: 'message', role: 'assistant', model, content: [], usage };
  const begun = [{ type: 'message_start', message }, ...blocks];
  if (hangs === true) return begun;
  if (error !== undefined) {
    const fault = { type: error, message: error };
    return [...begun, { type: 'error', error: fault, request_id: 'req_scripted' }];
  }
  const details = stop === 'refusal' ? { type: 'refusal', category, explanation: null } : null;
  return [
    ...begun,
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null, stop_details: details },
      usage: { output_tokens: 20 },
    },
    { type: 'message_stop' },
  ];
}

function thinkingPart(thinking: string) {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ],
  };
}

function partOf(part: ScriptedPart) {
  if ('thinking' in part) return thinkingPart(part.thinking);
  return 'call' in part ? callPart(part.call) : textPart(part.text, part.pieces);
}

function textPart(text: string, pieces: readonly string[] = [text]) {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  };
}

let calls = 0;

function callPart({ name, input, id }: { name: string; input: string; id?: string }) {
  if (id === undefined) calls += 1;
  return {
    start: { type: 'tool_use', id: id ?? `toolu_scripted_${calls}`, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: input }],
  };
}
