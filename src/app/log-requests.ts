import { compact } from '../platform/compact.js';
import type { RequestHandler, Response } from 'express';
import { findCaller } from '../access/caller.decorator.js';
import { hideKeys } from '../access/keys/key-secret.js';
import { discardRest } from '../http/request-body.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { nameRequest } from '../telemetry/tracing.js';
import { idsOf, openRecord, sentOf, type RequestRecord } from '../http/request-record.js';
import { hasBody } from './body-reader.js';
import type { RouteTable } from './route-table.js';

export interface LogRequestsDeps {
  logger: Logger;
  clock: Clock;
  routes(): RouteTable;
  /** Whether the server closes its connections. */
  isStopping(): boolean;
}

/** Status of an abandoned request, as gateways count it. */
const CLIENT_GONE = 499;
const MAX_PATH_CHARS = 200;

/**
 * The first middleware: gives a request its id, and logs one line at its end, even for a stream of hours. The line is at
 * `error` for a 5xx and for an answer that the server broke off, at `debug` for what was read in one answer, and at `info`
 * for all others. It has the route in place of the path, and nothing of query, headers and body, which contain people's
 * text and keys.
 */
export function logRequests(deps: LogRequestsDeps): RequestHandler {
  return (request, response, next) => {
    // Routers below may rewrite the URL.
    const { method, path } = request;
    const route = deps.routes().patternOf(method, path);
    const record = openRecord(request, request.headers, route);
    response.setHeader('X-Request-Id', record.id);
    // Browsers must not guess another type from the content.
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const startedAt = deps.clock.now();
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    nameRequest(method, route);
    // An answer may come before the end of its request's body: the rest is read and dropped.
    if (hasBody(request)) response.once('finish', () => discardRest(request, deps.clock));
    response.once('close', () => {
      for (const take of record.answered ?? []) take(sentOf(response));
      const line = {
        ...idsOf(record),
        method,
        ...(route === undefined ? { path: hideKeys(path).slice(0, MAX_PATH_CHARS) } : { route }),
        status: response.headersSent ? response.statusCode : CLIENT_GONE,
        ms: deps.clock.now() - startedAt,
        bytes: socket.bytesWritten - sentBefore,
        ...compact({ principal: findCaller(request)?.id, error: record.error }),
        ...subjectOf(path, response),
        ...endOf(response, record, deps.isStopping()),
      };
      deps.logger[levelOf(method, line)](line, 'request');
    });
    next();
  };
}

/** Reading changes nothing, and a page of the console reads all the time: a stream alone is worth a line. */
function levelOf(
  method: string,
  {
    status,
    frames,
    closedBy,
  }: { status: number; frames?: number | undefined; closedBy?: string | undefined },
): 'error' | 'info' | 'debug' {
  if (status >= 500 || closedBy === 'error') return 'error';
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  return isRead && status < 400 && frames === undefined ? 'debug' : 'info';
}

/** The session and the turn that a request is about: those its answer names, or its path. */
function subjectOf(path: string, response: Response) {
  return compact({
    sessionId: headerOf(response, 'X-Session-Id') ?? /\/(sess_[\w-]{1,64})(?:\/|$)/.exec(path)?.[1],
    turnId: headerOf(response, 'X-Turn-Id') ?? /\/(turn_[\w-]{1,64})(?:\/|$)/.exec(path)?.[1],
  });
}

function headerOf(response: Response, name: string): string | undefined {
  const value = response.getHeader(name);
  return typeof value === 'string' ? value : undefined;
}

/** Who ended the answer, and how far a stream came. */
function endOf(
  { writableFinished }: Response,
  { stream, isBroken }: RequestRecord,
  isStopping: boolean,
) {
  const ofServer = isBroken === true ? 'error' : stream?.brokenBy;
  const broken = ofServer ?? (isStopping ? 'shutdown' : 'client');
  return compact({
    closedBy: writableFinished ? undefined : broken,
    frames: stream?.frames,
    cursor: stream?.cursor,
  });
}
