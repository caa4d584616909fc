import { compact } from '../platform/compact.js';
import type { RequestHandler, Response } from 'express';
import { findCaller } from '../access/caller.decorator.js';
import { hideKeys } from '../access/key-secret.js';
import { discardRest } from '../http/discard-rest.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { nameRequest } from '../tracing/tracing.js';
import { openRecord, type RequestRecord } from '../http/request-record.js';
import { hasBody } from './body-reader.js';
import type { RouteTable } from './route-table.js';

export interface LogRequestsDeps {
  logger: Logger;
  clock: Clock;
  routes(): RouteTable;
}

/** Status of an abandoned request, as gateways count it. */
const CLIENT_GONE = 499;
const LONGEST_PATH = 200;

/**
 * The first middleware: gives a request its id, and logs one line at its end, even for a stream of
 * hours. The line has the route instead of the path, and nothing of query, headers and body, which
 * contain people's text and keys.
 */
export function logRequests(deps: LogRequestsDeps): RequestHandler {
  return (request, response, next) => {
    const record = openRecord(request, request.headers);
    response.setHeader('X-Request-Id', record.id);
    // Browsers must not guess another type from the content.
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const startedAt = deps.clock.now();
    // Routers below may rewrite the URL.
    const { method, path } = request;
    nameRequest(method, () => deps.routes().patternOf(method, path));
    // An answer may come before the end of its request's body: the rest is read and dropped.
    if (hasBody(request)) response.once('finish', () => discardRest(request, deps.clock));
    response.once('close', () => {
      const ms = deps.clock.now() - startedAt;
      const over = { method, path, ms, response, record, principal: findCaller(request)?.id };
      deps.logger.info(describe(over, deps.routes()), 'request');
    });
    next();
  };
}

interface Over {
  method: string;
  path: string;
  response: Response;
  record: RequestRecord;
  ms: number;
  principal: string | undefined;
}

function describe({ method, path, ms, response, record, principal }: Over, routes: RouteTable) {
  const route = routes.patternOf(method, path);
  return {
    requestId: record.id,
    method,
    ...(route === undefined ? { path: hideKeys(path).slice(0, LONGEST_PATH) } : { route }),
    status: response.headersSent ? response.statusCode : CLIENT_GONE,
    ms,
    ...compact({
      principal,
      closedBy: response.writableFinished ? undefined : 'client',
      error: record.refusal,
    }),
  };
}
