import type { IncomingMessage } from 'node:http';
import { playReply, type ScriptedPart, type ScriptedReply } from '../support/model/play-reply.js';
import { serveHttp } from '../support/serve-http.js';
import type { Json } from './agent-sdk.js';

/** What the model says in the conversations whose first prompt has a text. */
export interface Thread {
  /** Part of a conversation's first prompt. Default: of every conversation that no other thread takes. */
  about?: string;
  replies: readonly Reply[];
}

/** `call` and `parts` have the names and inputs of Claude Code's tools. */
export interface Reply extends ScriptedReply {
  /** As many requests at this place of the conversation get `refuse`; the next ones get the rest. Default: all. */
  refusals?: number;
}

export interface Call {
  name: string;
  input: Json;
}

/** A call of a script, as the models of a side make it. `text`: they write it. */
export type Rename = (call: Call) => Call | { text: string };

export interface ScriptedMessages {
  url: string;
  /** Bodies of the requests, in order. */
  requests: Json[];
  /** Requests that the real API would refuse, or that the script has no answer for. */
  faults: string[];
  close(): Promise<void>;
}

/**
 * The Messages API on loopback with a script. An answer is chosen by the conversation, not by how many requests came:
 * the n-th reply of a thread follows n-1 assistant messages, so that both SDKs meet the same model, however often they
 * repeat a request or ask something beside it.
 *
 * @param threads the script. `<project>` in it is the project's folder.
 * @param how `project` is the folder; `rename` gives a call of the script the name and input of the side that is run.
 */
export async function startScriptedMessages(
  threads: readonly Thread[],
  how: { project: string; rename?: Rename },
): Promise<ScriptedMessages> {
  const requests: Json[] = [];
  const faults: string[] = [];
  const refused = new Map<Reply, number>();
  const { url, close } = await serveHttp(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url?.split('?')[0];
    if (request.method !== 'POST' || path !== '/v1/messages') {
      // Clients look whether the server is there.
      if (request.method === 'POST') faults.push(`${String(path)} is not of the script.`);
      return void response.writeHead(404).end();
    }
    requests.push(body);
    // Whether a model is there is asked for one token.
    if (body['max_tokens'] === 1) {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(plainAnswer(body)));
    }
    const found = faultOf(body, request) ?? choose(threads, body);
    if (typeof found === 'string') {
      faults.push(found);
      const refuse = { status: 400, type: 'invalid_request_error', message: found };
      return playReply({ refuse }, String(body['model']), response);
    }
    const { reply, id } = found;
    const { refuse, refusals = Infinity, ...said } = reply;
    const times = refused.get(reply) ?? 0;
    refused.set(reply, times + 1);
    const translated = translate({ ...said, id }, how);
    const isRefused = refuse !== undefined && times < refusals;
    playReply(isRefused ? { refuse } : translated, String(body['model']), response);
  });
  return { url, requests, faults, close };
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return {};
  const body: unknown = JSON.parse(text);
  return isJson(body) ? body : {};
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list of a field; empty where there is none. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The blocks of a message's content, whose short form is a text. */
export function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function plainAnswer({ model }: Json): Json {
  return {
    id: 'msg_plain',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** What the API would refuse of a request, as far as the two SDKs could send it. */
function faultOf(body: Json, { headers }: IncomingMessage): string | undefined {
  const messages = listOf(body['messages']);
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) {
    return 'A request has no key.';
  }
  if (typeof body['model'] !== 'string' || Number(body['max_tokens']) < 1) {
    return 'A request needs model and max_tokens.';
  }
  if (body['stream'] !== true) return 'A request does not ask for a stream.';
  if (messages[0]?.['role'] !== 'user') return 'The first message is not of the user.';
  const talk = messages.filter(({ role }) => role !== 'system');
  for (const [index, { role, content }] of talk.entries()) {
    const results = new Set(ids(content, 'tool_result', 'tool_use_id'));
    const before = index === 0 ? [] : ids(talk[index - 1]?.['content'], 'tool_use', 'id');
    const open = before.filter((id) => !results.has(id));
    if (role === 'user' && open.length > 0) return `No result follows the call ${open.join(', ')}.`;
    const unknown = [...results].filter((id) => !before.includes(id));
    if (unknown.length > 0) return `A result is of no call before it: ${unknown.join(', ')}.`;
    if (role === 'user' && blocksOf(content).some(isEmptyText)) return 'A text is empty.';
  }
  return undefined;
}

function ids(content: unknown, type: string, field: string): string[] {
  return blocksOf(content).flatMap((block) =>
    block['type'] === type ? [String(block[field])] : [],
  );
}

function isEmptyText({ type, text }: Json): boolean {
  return type === 'text' && text === '';
}

/** The thread of a conversation, and its reply at this place; or what the script lacks. */
function choose(threads: readonly Thread[], body: Json): string | { reply: Reply; id: string } {
  const messages = listOf(body['messages']);
  const first = blocksOf(messages[0]?.['content']).map(({ text }) => String(text));
  const index = threads.findIndex(
    ({ about }) => about !== undefined && first.some((text) => text.includes(about)),
  );
  const thread = threads[index] ?? threads.find(({ about }) => about === undefined);
  const place = countReplies(messages);
  const reply = thread?.replies[place];
  if (reply === undefined) return `The script has no reply ${place + 1} for: ${first.at(-1)}`;
  return { reply, id: `msg_${index + 2}_${place + 1}` };
}

/** Assistant messages of a conversation; those of one reply may come as several. */
function countReplies(messages: readonly Json[]): number {
  const talk = messages.filter(({ role }) => role !== 'system');
  return talk.filter(
    ({ role }, index) => role === 'assistant' && talk[index - 1]?.['role'] !== 'assistant',
  ).length;
}

/** A reply with the project's folder, and with the calls of the side that is run. */
function translate(
  reply: ScriptedReply,
  { project, rename = (call) => call }: { project: string; rename?: Rename },
): ScriptedReply {
  const turn = (part: ScriptedPart): ScriptedPart => {
    if (!('call' in part)) return part;
    const { call } = part;
    const input: unknown = JSON.parse(call.input.replaceAll('<project>', project));
    if (!isJson(input)) return part;
    const renamed = rename({ name: call.name, input });
    if ('text' in renamed) return renamed;
    return { call: { ...call, name: renamed.name, input: JSON.stringify(renamed.input) } };
  };
  const { call, parts = [], ...rest } = reply;
  // A call of a reply is its last part.
  const all = call === undefined ? parts : [...parts, { call }];
  return { ...rest, ...(all.length === 0 ? {} : { parts: all.map(turn) }) };
}
