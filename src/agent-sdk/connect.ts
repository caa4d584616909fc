import { TurnpikeClient } from '../client/turnpike-client.js';
import { compact } from '../platform/compact.js';
import { isLoopback } from '../platform/net/addresses.js';
import { checkOptions, optionsWithoutEffect } from './check-options.js';
import { AbortError } from './sdk-errors.js';
import { sessionOfUuid } from './message-ids.js';
import { planQuery } from './plan-query.js';
import { handleOf } from './query-handle.js';
import type { CanUseTool, Options } from './query-options.js';
import { openState, type QueryState } from './query-state.js';
import { attachTo } from './attach-turn.js';
import { runQuery } from './run-query.js';
import type { SDKUserMessage } from './sdk-messages.js';
import { createSdkMcpServer, tool } from './sdk-tools.js';
import type { Query } from './sdk-query.js';
import { sessionFunctions, type SessionFunctions } from './session-functions.js';

export type { Query } from './sdk-query.js';
export type * from './query-options.js';
export type * from './sdk-messages.js';
export type * from './sdk-tools.js';
export type * from './session-functions.js';
export { createSdkMcpServer, tool } from './sdk-tools.js';
export { AbortError, ResultError, UnsupportedError } from './sdk-errors.js';

/** An embedded server, as `createTurnpike` makes it. */
export interface ClientSource {
  client(principal: string): TurnpikeClient;
}

/** What a program is asked for a query. */
export interface QueryRequest {
  /** One text; or messages, a turn each. The query throws where the last of them ended with an error. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}

/** The functions of an agent SDK over one server. */
export interface AgentSdk extends SessionFunctions {
  /** Runs a prompt in a session of the server. @throws UnsupportedError for options that are not honoured. */
  query(request: QueryRequest): Query;
  tool: typeof tool;
  createSdkMcpServer: typeof createSdkMcpServer;
  /**
   * Reads the last turn of a session, from its first message, and answers what it asks: after a crash of the program that
   * began it, for example. Leaving the loop ends the turn.
   *
   * @param options `canUseTool`, `hooks` and `mcpServers` as of the query that began it.
   * @param options.after the uuid of the last message that is known: what came up to it is left out.
   */
  attach(sessionId: string, options?: Options & { after?: string; canUseTool?: CanUseTool }): Query;
}

/**
 * The functions of an agent SDK, over a client or an embedded server.
 *
 * @param principal of an embedded server, the user that queries act as. Default: `agent-sdk`.
 */
export function connect(
  source: TurnpikeClient | ClientSource,
  { principal = 'agent-sdk' }: { principal?: string } = {},
): AgentSdk {
  const client = clientOf(source, principal);
  return over(() => client);
}

let connection: TurnpikeClient | undefined;
/** That of the environment, once it was asked for. */
let ofEnvironment: TurnpikeClient | undefined;

/** Sets the server of the functions of this module. @param source undefined: that of the environment again. */
export function useConnection(
  source: TurnpikeClient | ClientSource | undefined,
  { principal = 'agent-sdk' }: { principal?: string } = {},
): void {
  connection = source && clientOf(source, principal);
  ofEnvironment = undefined;
}

function clientOf(source: TurnpikeClient | ClientSource, principal: string): TurnpikeClient {
  return 'sessions' in source ? source : source.client(principal);
}

/** The server that was set, or that of `TURNPIKE_URL` with `TURNPIKE_API_KEY`. @throws Error where there is neither. */
function connected(): TurnpikeClient {
  if (connection !== undefined) return connection;
  if (ofEnvironment !== undefined) return ofEnvironment;
  const { TURNPIKE_URL: url, TURNPIKE_API_KEY: key } = process.env;
  if (url === undefined || url === '') {
    throw new Error(
      'No server is set. Set TURNPIKE_URL to its address, and TURNPIKE_API_KEY to a key with the scopes turns and approvals; or call useConnection(client)',
    );
  }
  ofEnvironment = new TurnpikeClient({ url, key: key === '' ? undefined : key });
  return ofEnvironment;
}

/** The folder of queries that name none: that of the process, where the server of the environment is on this machine. */
function localFolder(): string | undefined {
  const url = connection === undefined ? process.env['TURNPIKE_URL'] : undefined;
  const isHere = url !== undefined && URL.canParse(url) && isLoopback(new URL(url).hostname);
  return isHere ? process.cwd() : undefined;
}

/** @param folder of queries that name none. Undefined: the caller's own folder of the server. */
function over(
  of: () => TurnpikeClient,
  folder: () => string | undefined = () => undefined,
): AgentSdk {
  return {
    query: ({ prompt, options: given = {} }) => {
      const options = { ...compact({ cwd: folder() }), ...given };
      const state = open(of(), options, typeof prompt === 'string');
      return handleOf(state, runQuery(state, prompt));
    },
    attach: (sessionId, { after, ...options } = {}) => {
      const state = open(of(), options, false);
      const id = sessionOfUuid(sessionId, 'sessionId');
      return handleOf(state, attachTo(state, id, after));
    },
    tool,
    createSdkMcpServer,
    ...sessionFunctions(of),
  };
}

function open(client: TurnpikeClient, options: Options, isText: boolean): QueryState {
  checkOptions({ ...options });
  if (options.abortController?.signal.aborted === true) {
    throw new AbortError('The query was aborted before it began');
  }
  warnOfOptions(options);
  return openState(client, planQuery(options), { options, isText });
}

let isWarned = false;

/** Says once what has no effect. */
function warnOfOptions(options: Options): void {
  const names = optionsWithoutEffect({ ...options });
  if (names.length === 0 || isWarned) return;
  isWarned = true;
  process.emitWarning(
    `${names.join(', ')}: turnpike/agent-sdk starts no process and reads no home, so that these options have no effect`,
  );
}

const standard = over(connected, localFolder);

/** The functions over the server that was set, or that of the environment. */
export const query: AgentSdk['query'] = standard.query;
export const attach: AgentSdk['attach'] = standard.attach;
export const listSessions: AgentSdk['listSessions'] = standard.listSessions;
export const getSessionInfo: AgentSdk['getSessionInfo'] = standard.getSessionInfo;
export const getSessionMessages: AgentSdk['getSessionMessages'] = standard.getSessionMessages;
export const forkSession: AgentSdk['forkSession'] = standard.forkSession;
export const renameSession: AgentSdk['renameSession'] = standard.renameSession;
export const deleteSession: AgentSdk['deleteSession'] = standard.deleteSession;
