import { type ServerResponse } from 'node:http';
import { serveHttp } from '../serve-http.js';

/** One answer of the model, in the order thinking, text, end. */
export interface ScriptedReply {
  /** An error instead of a stream, with `code` in its details. */
  refuse?: { status: number; type: string; message: string; code?: string };
  thinking?: string;
  text?: string;
  /** A call with its input as JSON, to the letter; the reply ends with it. */
  call?: { name: string; input: string };
  /** Ends the stream with an error event of this type. */
  error?: string;
  /** Default: `end_turn`. */
  stop?: string;
  /** Category of a refusal. */
  category?: string;
  /** Sends nothing more, and keeps the stream open. */
  hangs?: boolean;
}

export interface ScriptedModel {
  url: string;
  /** Replies to come; a plain one follows when none is left. */
  script: ScriptedReply[];
  /** Bodies of received requests, in order. */
  requests: { model: string; messages: { role: string; content: unknown }[] }[];
  /** These bodies as they came. */
  texts: string[];
  close(): Promise<void>;
}

/** A model's endpoint with scripted replies, one for each call, in the provider's format. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const { url, close } = await serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      // A list of models does not exist here.
      if (request.method !== 'POST') return void response.writeHead(404).end();
      const body = Buffer.concat(chunks).toString();
      const sent = JSON.parse(body) as ScriptedModel['requests'][number];
      model.requests.push(sent);
      model.texts.push(body);
      play(model.script.shift() ?? { text: 'Hello.' }, sent.model, response);
    });
  });
  const model: ScriptedModel = { url, script: [], requests: [], texts: [], close };
  return model;
}

function play(reply: ScriptedReply, model: string, response: ServerResponse): void {
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
  const { thinking, text, call, error, hangs, category } = reply;
  const { stop = call === undefined ? 'end_turn' : 'tool_use' } = reply;
  const usage = { input_tokens: 100, output_tokens: 1 };
  const parts = [
    ...(thinking === undefined ? [] : [thinkingPart(thinking)]),
    ...(text === undefined ? [] : [textPart(text)]),
    ...(call === undefined ? [] : [callPart(call)]),
  ];
  const blocks = parts.flatMap(({ start, deltas }, index) => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
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

function textPart(text: string) {
  return { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text }] };
}

let calls = 0;

function callPart({ name, input }: { name: string; input: string }) {
  calls += 1;
  return {
    start: { type: 'tool_use', id: `toolu_scripted_${calls}`, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: input }],
  };
}
