import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHttp } from '../serve-http.js';

export interface Asked {
  id?: number | string;
  method: string;
  params?: {
    name?: string;
    requestId?: number | string;
    cursor?: string;
    uri?: string;
    arguments?: Record<string, unknown>;
    _meta?: { progressToken?: number | string };
  };
}

/** An MCP server over HTTP whose answers are texts, to the letter. */
export interface ScriptedMcp {
  url: string;
  /** Bodies of received requests, in order, to the letter. */
  bodies: string[];
  /** Methods of these. */
  methods: string[];
  /** Entries of `tools/list`, as JSON. */
  tools: string[];
  /** Result of a call as JSON, by its tool. Default: the text `done`. */
  results: Record<string, string>;
  /** Sends a call's answer in the test's own way. */
  answer: ((asked: Asked, response: ServerResponse) => void) | undefined;
  /** Results as JSON by method, of what is asked beside tools; a server with any has resources and prompts. */
  others: Record<string, (asked: Asked) => string>;
  /** Members beside the usual ones in the result of `initialize`, as JSON: `"instructions":"…"`. */
  greeting: string;
  /** Answers of a server since 2026-07-28, as JSON by method; it then has no sessions. */
  modern: Record<string, string> | undefined;
  /** The status of the answer to the question for its versions, of a server before that. */
  probeStatus: number | undefined;
  /** Whether answers are streams of events. */
  isStream: boolean;
  /** The answer to a request of a session that was forgotten; a text has status 200. Default: 404, as the protocol has it. */
  gone: { status: number; body: string } | ((asked: Asked) => string);
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  close(): Promise<void>;
}

export async function startScriptedMcp(): Promise<ScriptedMcp> {
  const sessions = new Set<string>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const body = await text(request);
    const asked = JSON.parse(body) as Asked;
    mcp.bodies.push(body);
    mcp.methods.push(asked.method);
    const isProbe = asked.method === 'server/discover';
    if (isProbe && mcp.probeStatus !== undefined) {
      return void response.writeHead(mcp.probeStatus).end();
    }
    if (mcp.modern !== undefined) {
      if (asked.method === 'tools/call' && mcp.answer !== undefined) {
        return mcp.answer(asked, response);
      }
      const result = mcp.others[asked.method]?.(asked) ?? mcp.modern[asked.method];
      if (result === undefined) return void response.writeHead(404).end();
      return send(mcp, response, messageOf(asked, result));
    }
    if (asked.method === 'initialize') {
      const id = randomUUID();
      sessions.add(id);
      response.setHeader('mcp-session-id', id);
    } else if (!sessions.has(String(request.headers['mcp-session-id']))) {
      if (typeof mcp.gone === 'function') return send(mcp, response, mcp.gone(asked));
      return void response.writeHead(mcp.gone.status).end(mcp.gone.body);
    }
    if (asked.id === undefined) return void response.writeHead(202).end();
    if (asked.method === 'tools/call' && mcp.answer !== undefined) mcp.answer(asked, response);
    else send(mcp, response, messageOf(asked, resultOf(mcp, asked)));
  };
  const { url, close } = await serveHttp(take);
  const mcp: ScriptedMcp = {
    url: `${url}/mcp`,
    bodies: [],
    methods: [],
    tools: [],
    results: {},
    answer: undefined,
    others: {},
    greeting: '',
    modern: undefined,
    probeStatus: undefined,
    isStream: false,
    gone: { status: 404, body: 'Session not found' },
    forget: () => sessions.clear(),
    close,
  };
  return mcp;
}

/** An entry of `tools/list`. */
export function toolEntry(name: string, more: object = {}): string {
  return JSON.stringify({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    ...more,
  });
}

/** A result with one text. */
export const textResult = (said: string): string =>
  JSON.stringify({ content: [{ type: 'text', text: said }] });

export function messageOf({ id }: Asked, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function send(
  { isStream }: Pick<ScriptedMcp, 'isStream'>,
  response: ServerResponse,
  message: string,
): void {
  const type = isStream ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type });
  response.end(isStream ? `event: message\ndata: ${message}\n\n` : message);
}

function resultOf(mcp: ScriptedMcp, asked: Asked): string {
  const { method, params } = asked;
  const other = mcp.others[method];
  if (other !== undefined) return other(asked);
  if (method === 'initialize') {
    const all = Object.keys(mcp.others).length === 0 ? '' : ',"resources":{},"prompts":{}';
    const info = '"serverInfo":{"name":"scripted","version":"1"}';
    const more = mcp.greeting === '' ? '' : `,${mcp.greeting}`;
    return `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}${all}},${info}${more}}`;
  }
  if (method === 'tools/list') return `{"tools":[${mcp.tools.join()}]}`;
  return mcp.results[params?.name ?? ''] ?? textResult('done');
}
