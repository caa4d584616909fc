import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Client,
  type Progress,
} from '@modelcontextprotocol/client';
import {
  outputText,
  type ToolOutput,
  blockOf,
  type OutputBlock,
} from '../../platform/parsing/tool-output.js';
import { compact } from '../../platform/compact.js';
import { canonicalJson, type JsonObject, isPlainObject } from '../../platform/json.js';
import { RESOURCES_TOOL } from '../builtin/mcp-resources.js';
import { CallWaits, ToolFailure, type RetryClass, type ToolCall } from '../tool.js';
import type { Responder } from './asking-calls.js';
import type { LiveServer, McpConnection } from './connection.js';
import { rootsOf } from './offers.js';
import { elicitResult, readElicitation } from './elicitation.js';
import { readSampling, sampleResult } from './sampling.js';
import {
  finishRound,
  openRound,
  paramsOfRound,
  refusedRound,
  resumeRound,
  type AnswerRequest,
  type AskingServer,
  type InputRound,
} from './input-rounds.js';
import { LoginNeededError, OAuthLoginError } from './oauth/oauth-error.js';
import { sendRequest } from './messages.js';
import type { RegisteredTool } from '../registry.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import type { McpServer } from './definitions.js';
import type { McpTool } from './offered-tools.js';
import { headersOfCall } from './param-headers.js';
import { toolName } from './tool-names.js';
import { parseJson, printJson } from '../../platform/exact-json.js';
import {
  describeFault,
  isConnectionLost,
  isSessionDoubtful,
  mayCallAgain,
  McpFault,
} from './faults.js';

export interface McpToolCall {
  server: AskingServer;
  tool: Pick<McpTool, 'name' | 'headers'>;
  retry: RetryClass;
  input: JsonObject;
  call: ToolCall;
}

/**
 * Calls a server's tool. The only time limit is `call.signal`: its abort ends the call at once and
 * cancels it on the server.
 *
 * @throws ToolFailure when the server is unavailable, ends, or reports a failure; the signal's reason
 * when it aborts.
 */
async function callTool(connection: McpConnection, toolCall: McpToolCall): Promise<ToolOutput> {
  const { call, retry, server } = toolCall;
  const responder = responderOf(connection, server, call);
  const answerAlone: AnswerRequest = async (method, params) => {
    const { root } = connection.offers;
    if (method === 'roots/list') return root === undefined ? undefined : rootsOf(root);
    return method === 'sampling/createMessage'
      ? responder.sample?.(params, call.signal)
      : undefined;
  };
  let round = resumeRound(server, call.answers ?? []);
  for (;;) {
    // What is open in the round is asked before the server is called.
    const finished = round && (await finishRound(server, round, answerAlone));
    const how = { ...call, retry, responder };
    const answered = await askServer(connection, how, (client) =>
      callOnce(connection, client, toolCall, finished),
    );
    if ('output' in answered) return answered.output;
    ({ round } = answered);
  }
}

/** The call that uses a server. Without `callId`: no person can be asked on its behalf. */
type AskingCall = Pick<ToolCall, 'signal' | 'answers'> & Partial<Pick<ToolCall, 'callId'>>;

/**
 * Asks a server for something, and once more where its session was lost and that is harmless.
 *
 * @param how `responder` answers what an older server asks meanwhile; absent: nobody does. @throws as `callTool`;
 *   LoginNeededError where it is for no call.
 */
export async function askServer<T>(
  connection: McpConnection,
  how: AskingCall & { retry: RetryClass; responder?: Responder },
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const { signal, retry, responder } = how;
  for (let isFirst = true; ; isFirst = false) {
    const { client } = await connectForCall(connection, how);
    try {
      return await connection.use(client, () => ask(client), responder);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = await connection.faultOf(thrown);
      if (error instanceof LoginNeededError) throw askForLogin(error, how);
      if (isSessionDoubtful(error)) connection.retire(client);
      if (!isFirst || !mayCallAgain(error, retry)) throw failureOf(connection, client, error);
    }
  }
}

/** Makes one request of a call. @returns its output, or what the server asks first. */
async function callOnce(
  connection: McpConnection,
  client: Client,
  { server, tool, retry, input, call }: McpToolCall,
  round: InputRound | undefined,
): Promise<{ output: ToolOutput } | { round: InputRound }> {
  const key =
    retry === 'idempotent' ? { 'turnpike/idempotencyKey': call.idempotencyKey } : undefined;
  const asked = compact({ name: tool.name, arguments: input, _meta: key });
  const params = { ...asked, ...paramsOfRound(round) };
  let result: Readonly<Record<string, unknown>>;
  try {
    result = await sendRequest(
      client,
      { method: 'tools/call', params },
      {
        signal: call.signal,
        headers: headersOfCall(tool.headers, input),
        onprogress: (progress) => call.progress(connection.redact(progressNote(progress))),
      },
    );
  } catch (error) {
    const refused = connection.offers.asks ? refusedRound(server, error, round) : undefined;
    if (refused === undefined) throw error;
    return { round: refused };
  }
  connection.worked();
  if (isInputRequiredResult(result)) return { round: openRound(server, result, round) };
  return { output: outputOf(connection, client, result) };
}

/** Answers what the server of a call asks in it: its person is asked, or its turn's model, where they can be. */
function responderOf(
  { offers: { sampling } }: McpConnection,
  server: AskingServer,
  { ask, sample }: Pick<ToolCall, 'ask' | 'sample'>,
): Responder {
  return {
    ...(ask && {
      elicit: async (params, signal) => {
        const asked = readElicitation(server, params);
        if ('fault' in asked) throw new ProtocolError(ProtocolErrorCode.InvalidParams, asked.fault);
        return elicitResult(await ask(asked, signal));
      },
    }),
    ...(sample &&
      sampling && {
        sample: async (params, signal) =>
          sampleResult(await sample(readSampling(params, sampling), signal)),
      }),
  };
}

/** The output of a result. @throws ToolFailure where the server reports a failure. */
function outputOf(
  connection: McpConnection,
  client: Client,
  result: Readonly<Record<string, unknown>>,
): ToolOutput {
  const hasResources = client.getServerCapabilities()?.resources !== undefined;
  const reader = hasResources ? connection.server : undefined;
  const blocks = redactBlocks(connection, resultBlocks(result, reader));
  const text = outputText(blocks);
  const hasFiles = blocks.some(({ type }) => type === 'file');
  if (result['isError'] !== true) return hasFiles ? blocks : text;
  const message = text === '' ? 'the server says that the call failed' : text;
  throw new ToolFailure(message, hasFiles ? { blocks } : {});
}

/** Blocks without the server's credentials. */
export function redactBlocks(connection: McpConnection, blocks: OutputBlock[]): OutputBlock[] {
  return blocks.map((block) =>
    block.type === 'text' ? { ...block, text: connection.redact(block.text) } : block,
  );
}

/** The server of a call. @throws ToolFailure; CallWaits where the person is to log in first. */
export async function connectForCall(
  connection: McpConnection,
  call: AskingCall,
): Promise<LiveServer> {
  try {
    return await connection.ready(call.signal);
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof LoginNeededError) throw askForLogin(error, call);
    throw failureOf(connection, undefined, error);
  }
}

/** Log-ins that one call asks for at most. */
const MAX_LOGINS = 3;

/** The question for a log-in; a failure where the person has refused it, or it did not help. */
function askForLogin(error: LoginNeededError, { callId, answers = [] }: AskingCall): Error {
  if (callId === undefined) return error;
  const { question } = error;
  const { server, host, issuer, scopes } = question;
  const given = answers.filter(({ kind }) => kind === 'mcp-authorize');
  const who = `The MCP server ${server}`;
  if (given.some(({ action }) => action !== 'accept')) {
    return new ToolFailure(`${who} needs a log-in, and the user did not log in. Nothing was run.`);
  }
  if (given.length >= MAX_LOGINS) {
    const { asReason } = new OAuthLoginError('TOKEN_REFUSED', { issuer });
    return new ToolFailure(`${who} did not take a log-in: ${asReason} Nothing was run.`);
  }
  const reason = `The MCP server ${server} (${host}) wants you to log in at ${issuer}`;
  const asked = { server, host, issuer, scopes: [...scopes] };
  return new CallWaits({ kind: 'mcp-authorize', reason, question: asked }, { executed: false });
}

function failureOf(
  connection: McpConnection,
  client: Client | undefined,
  error: unknown,
): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const who = `The MCP server ${connection.server}`;
  if (client === undefined || error instanceof McpFault) {
    return new ToolFailure(`${who} is not there: ${connection.redact(describeFault(error))}`);
  }
  if (error instanceof ProtocolError && !isConnectionLost(error)) {
    return new ToolFailure(`${who} refused the call: ${connection.redact(describeFault(error))}`);
  }
  const next = connection.isUp(client) ? '' : ' The next call starts it again.';
  return new ToolFailure(
    `${who} failed: ${connection.redact(describeFault(connection.causeOf(client, error)))}. The call may have done part of its work.${next}`,
  );
}

function progressNote({ message, progress, total }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? count : `${message.slice(0, 200)} (${count})`;
}

/** A server whose resources or prompts a turn may have. */
export interface ServerAccess {
  server: string;
  connection: McpConnection;
}

/** A server's tools as a turn calls them, for as long as the turn has the connection. */
export function adaptTools(
  { name: server, definition }: McpServer,
  tools: readonly McpTool[],
  connection: McpConnection,
): RegisteredTool[] {
  const asking = askingServer(server, definition);
  return tools.map((tool) => {
    const { effect, retry } = traitsOf(tool, definition.trustAnnotations);
    return {
      name: toolName(server, tool.name),
      description: connection.redact(tool.description),
      inputSchema: tool.inputSchema,
      checkInput: tool.checkInput,
      effect,
      retry,
      takesExact: true,
      ...(mayDefer(tool.name, definition.deferred) ? {} : { deferred: false as const }),
      timeLimit: compact({
        ms: definition.timeoutMs ?? definition.timeout,
        maxMs: definition.maxTimeoutMs ?? connection.progressMs,
      }),
      open: () => ({
        run: (input, call) => callTool(connection, { server: asking, tool, retry, input, call }),
      }),
    };
  });
}

/** @param deferred what the definition of a server says of its tools. */
function mayDefer(tool: string, deferred: McpServer['definition']['deferred'] = true): boolean {
  return typeof deferred === 'boolean' ? deferred : deferred[tool] !== false;
}

/** A server as it asks: where it is, and what its state is bound to. */
function askingServer(name: string, definition: McpServer['definition']): AskingServer {
  const place =
    definition.kind === 'http'
      ? [definition.url]
      : [definition.command, ...definition.args, definition.cwd ?? ''];
  const key = createHash('sha256')
    .update(canonicalJson([name, place]))
    .digest('hex');
  return { name, key, ...(definition.kind === 'http' && { host: new URL(definition.url).host }) };
}

/**
 * The traits of a tool. A server's annotations are hints, used only when the operator trusts the
 * server.
 */
function traitsOf(
  { readOnly, idempotent }: McpTool,
  trusted: boolean,
): { effect: ToolEffect; retry: RetryClass } {
  if (!trusted) return { effect: 'command', retry: 'never' };
  if (readOnly) return { effect: 'read', retry: 'safe' };
  return { effect: 'command', retry: idempotent ? 'idempotent' : 'never' };
}

/**
 * A result of `tools/call` for the model: its texts and files, with a label for any other block. Structured content
 * follows as JSON, unless the content repeats it. A block that breaks the protocol is labelled, and never an error.
 *
 * @param server the name of the server, where the model can read its resources.
 */
export function resultBlocks(
  result: Readonly<Record<string, unknown>>,
  server?: string,
): OutputBlock[] {
  const content: unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const structured = result['structuredContent'];
  const shown = content.map((block) => toBlock(block, server));
  if (structured !== undefined && !isRepeated(structured, textsIn(content))) {
    shown.push(textBlock(printJson(structured)));
  }
  return shown;
}

/**
 * Whether the texts of a content say what the structured content says. Servers repeat it as JSON in a text, for older
 * clients; others put their text, or the bytes of a picture, into an object.
 */
function isRepeated(structured: unknown, texts: readonly string[]): boolean {
  const all = new Set(texts);
  const isIn = (value: unknown): boolean => {
    if (typeof value === 'string') return all.has(value);
    return typeof value === 'object' && value !== null && Object.values(value).every(isIn);
  };
  return isIn(structured) || texts.some((text) => isDeepStrictEqual(parsed(text), structured));
}

/** All texts in a value of JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The value of a text that is JSON; undefined for any other. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A block of a result, or of a resource that was read, for the model. */
export function toBlock(block: unknown, server?: string): OutputBlock {
  if (!isPlainObject(block)) return textBlock('[nothing that can be shown]');
  const { type } = block;
  switch (type) {
    case 'text':
      return textBlock(textOf(block['text']));
    case 'resource':
      return resourceBlock(block);
    case 'resource_link': {
      const [name, uri] = [word(block['name']), word(block['uri'])];
      const what = name === 'unknown' ? 'resource' : `resource ${name}`;
      const how = server === undefined ? '' : `; ${RESOURCES_TOOL} reads it from ${server}`;
      return textBlock(`[${what}: ${uri}${how}]`);
    }
    default:
      return blockOf(block) ?? textBlock(`[${word(type)}]`);
  }
}

/** The text of an embedded resource, or its file. */
function resourceBlock(block: Readonly<Record<string, unknown>>): OutputBlock {
  const { resource } = block;
  if (!isPlainObject(resource)) return textBlock('[resource]');
  const { uri, text, mimeType } = resource;
  if (typeof text === 'string') return textBlock(`[resource: ${word(uri)}]\n${text}`);
  return blockOf(block) ?? textBlock(`[resource: ${word(uri)}, ${word(mimeType)}]`);
}

function textBlock(text: string): OutputBlock {
  return { type: 'text', text };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function word(value: unknown): string {
  return textOf(value).replaceAll(/\s+/g, ' ').slice(0, 200) || 'unknown';
}
