import { type IncomingMessage } from 'node:http';
import { serveHttp } from '../serve-http.js';

type Json = Record<string, unknown>;

export interface StrictGateway {
  url: string;
  /** Accepted bodies, in order. */
  taken: Json[];
  /** Refused fields, with the reason. */
  refused: string[];
  close(): Promise<void>;
}

/** What a server does in its own way. */
export interface Manner {
  /** Replies begin without `message_start`. */
  omitsStart?: boolean;
  /** A call begins without its `input`. */
  omitsInput?: boolean;
  /** Models think, with an empty signature, unless a request says `disabled`. */
  thinks?: boolean;
  /** No stop reason is given where text ends. */
  omitsReason?: boolean;
  /** Texts of a request that are over its window, and the error that says so. */
  window?: { text: string; error: object };
}

const bodyKeys = new Set([
  'model',
  'max_tokens',
  'stream',
  'system',
  'messages',
  'tools',
  'thinking',
]);
const blockKeys: Record<string, string[]> = {
  text: ['type', 'text', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
};
const toolKeys = ['name', 'description', 'input_schema', 'cache_control'];

/**
 * A gateway that takes the Messages API of 2023 and nothing that came since: whatever else a request
 * has is a 400. It knows one route, answers `use NAME` with a call of that tool, and anything else
 * with text.
 *
 * @param key undefined: none may come.
 */
export async function startStrictGateway(
  key: string | undefined,
  manner: Manner = {},
): Promise<StrictGateway> {
  const taken: Json[] = [];
  const refused: string[] = [];
  const { url, close } = await serveHttp((request, response) => {
    const respond = (text: string): void => {
      const fault = faultOf(request, text, key, manner);
      if (fault !== undefined) {
        refused.push(fault.message);
        const error = { type: 'invalid_request_error', message: fault.message };
        response.writeHead(fault.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ type: 'error', error }));
        return;
      }
      const body = JSON.parse(text) as Json;
      const { window } = manner;
      if (window !== undefined && text.includes(window.text)) {
        response.writeHead(400, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ error: window.error }));
      }
      taken.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of answer(body, manner)) {
        response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    };
    readBody(request).then(respond, (error: unknown) => response.destroy(error as Error));
  });
  return { url, taken, refused, close };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function faultOf(
  { method, url, headers }: IncomingMessage,
  text: string,
  key: string | undefined,
  manner: Manner,
): { status: number; message: string } | undefined {
  if (method !== 'POST' || url !== '/v1/messages') {
    return { status: 404, message: `no route ${method} ${url}` };
  }
  const stray = Object.keys(headers).find(
    (name) => name.startsWith('anthropic-') && name !== 'anthropic-version',
  );
  if (stray !== undefined) return { status: 400, message: `the header ${stray} is not known` };
  if (headers['x-api-key'] !== key) return { status: 401, message: 'invalid x-api-key' };
  if (headers.authorization !== (key && `Bearer ${key}`)) {
    return { status: 401, message: 'invalid bearer token' };
  }
  if (headers['anthropic-version'] !== '2023-06-01') {
    return { status: 400, message: `the version ${String(headers['anthropic-version'])}` };
  }
  const message = bodyFault(JSON.parse(text) as Json, manner);
  return message === undefined ? undefined : { status: 400, message };
}

function bodyFault(body: Json, { thinks = false }: Manner): string | undefined {
  const key = Object.keys(body).find((name) => !bodyKeys.has(name));
  if (key !== undefined) return `${key}: Extra inputs are not permitted`;
  const { thinking } = body as { thinking?: Json };
  if (thinking !== undefined) {
    const { type, budget_tokens: budget, ...more } = thinking;
    const isOff = thinks && type === 'disabled' && budget === undefined;
    if (
      !isOff &&
      (type !== 'enabled' || typeof budget !== 'number' || Object.keys(more).length > 0)
    ) {
      return `thinking: ${JSON.stringify(thinking)}`;
    }
  }
  for (const tool of (body['tools'] ?? []) as Json[]) {
    const stray = Object.keys(tool).find((name) => !toolKeys.includes(name));
    if (stray !== undefined) return `tools: ${stray}: Extra inputs are not permitted`;
  }
  return messagesFault(body['messages'] as Json[]);
}

function messagesFault(messages: readonly Json[]): string | undefined {
  for (const [index, { role, content, ...more }] of messages.entries()) {
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected || Object.keys(more).length > 0) {
      return `messages.${index}: role ${String(role)}, ${Object.keys(more).join(', ')}`;
    }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    for (const block of blocks as Json[]) {
      const known = blockKeys[String(block['type'])];
      const stray = Object.keys(block).find((name) => known?.includes(name) !== true);
      if (stray !== undefined) return `messages.${index}: ${String(block['type'])}.${stray}`;
    }
  }
  return undefined;
}

function* answer(body: Json, manner: Manner): Generator<Json> {
  const last = (body['messages'] as Json[]).at(-1);
  const lastContent = JSON.stringify(last?.['content']);
  const [, tool] = /use (\w+)/.exec(lastContent) ?? [];
  const isAnswered = lastContent.includes('tool_result');
  const calls = tool !== undefined && !isAnswered;
  const usage = { input_tokens: 10, output_tokens: 1 };
  const { model } = body;
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
  const start = { type: 'message_start', message: { ...message, stop_reason: null } };
  if (manner.omitsStart !== true) yield start;
  const isThinking = (body['thinking'] as Json | undefined)?.['type'] !== 'disabled';
  const index = manner.thinks === true && isThinking ? 1 : 0;
  if (index === 1) {
    const block = { type: 'thinking', thinking: 'Hm.', signature: '' };
    yield { type: 'content_block_start', index: 0, content_block: block };
    yield { type: 'content_block_stop', index: 0 };
  }
  const input = manner.omitsInput === true ? {} : { input: {} };
  const content_block = calls
    ? { type: 'tool_use', id: `toolu_${tool}`, name: tool, ...input }
    : { type: 'text', text: '' };
  yield { type: 'content_block_start', index, content_block };
  const delta = calls
    ? { type: 'input_json_delta', partial_json: '{"pattern":"*"}' }
    : { type: 'text_delta', text: 'Well said.' };
  yield { type: 'content_block_delta', index, delta };
  yield { type: 'content_block_stop', index };
  const ended = manner.omitsReason === true ? null : 'end_turn';
  const stop_reason = calls ? 'tool_use' : ended;
  yield { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 4 } };
  yield { type: 'message_stop' };
}
