import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentDefinition } from '../agents/define-agent.js';
import type { TurnpikeClient } from '../client/turnpike-client.js';
import type {
  AuthenticatorHead,
  Extension,
  ExtensionCaller,
  ExtensionTool,
} from '../tools/extensions/extend.js';

export type {
  AuthenticatorHead,
  Extension,
  ExtensionCall,
  ExtensionCaller,
  ExtensionOutput,
  ExtensionTool,
} from '../tools/extensions/extend.js';

/** A log of lines with a constant message each, and what varies as fields: pino's interface. */
export interface TurnpikeLogger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export interface TurnpikeOptions {
  /** Folder of the database and of files, of one server at a time. Required without `databaseUrl`. */
  dataDir?: string;
  /** PostgreSQL, for any number of processes; with `redisUrl`. */
  databaseUrl?: string;
  /** Redis; with `databaseUrl`. */
  redisUrl?: string;
  /** `api` answers requests, `worker` runs turns, `all` does both. Default: `all`. */
  role?: 'all' | 'api' | 'worker';
  /** Where the handler is mounted: `/agents`. Default: the root. */
  basePath?: string;
  /** Tools that agents and turns may list. */
  tools?: readonly ExtensionTool[];
  /** Agents beside those of the instruction folder, each with a name of its own. */
  agents?: readonly AgentDefinition[];
  /** More than tools: triggers, decision trees. */
  extension?: Extension;
  /**
   * Finds who sent a request; its things belong to `host:<principal>`. Undefined: nobody, and the request gets 401.
   * Default: requests are answered by API keys and tokens alone, and `client` works.
   *
   * @param request as the handler got it, with what the host has put on it; for `fetch`, one with the same head.
   */
  authenticate?: (
    head: AuthenticatorHead,
    request: IncomingMessage,
  ) => ExtensionCaller | undefined | Promise<ExtensionCaller | undefined>;
  /** Default: lines of JSON on standard error, warnings and errors alone. */
  logger?: TurnpikeLogger;
  /**
   * All other settings, as the reference of the configuration names them: `{ ANTHROPIC_API_KEY, TURNPIKE_MODEL }`. The
   * environment of the process is not read.
   */
  settings?: Readonly<Record<string, string | undefined>>;
}

/** A Turnpike inside of a process of yours. */
export interface EmbeddedTurnpike {
  /**
   * Answers a request of the API, for `node:http`, Express, and Fastify's `raw`. Mount it before what reads bodies.
   *
   * @param next called for paths that are not below `basePath`; without it they get 404.
   */
  handler(request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /**
   * Answers a request of the API, for hosts whose requests are those of `fetch`: route handlers of Next, Hono. The answer
   * streams at the pace of its reader; an abort of the request's signal, or a cancelled answer, is a client that left.
   */
  fetch(request: Request): Promise<Response>;
  /** Begins to run turns, those of an earlier process first. The handler answers before that, too. */
  start(): Promise<void>;
  /** Takes no more turns, and lets those that run end; the rest goes on at the next start, or elsewhere. */
  drain(): Promise<void>;
  /**
   * Drains, and closes everything: what clients of `client` wait for, and their later calls, reject with a
   * `TurnpikeError` of the code `CLOSED`. May be called again.
   */
  close(): Promise<void>;
  /** A client that acts as a principal, without a network: what it makes belongs to `host:<principal>`. */
  client(principal: string): TurnpikeClient;
}
