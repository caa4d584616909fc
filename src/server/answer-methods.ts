import type { RequestHandler } from 'express';
import { recordOf } from '../http/request-record.js';
import { TypedError } from '../errors/typed-error.js';
import type { RouteTable } from './route-table.js';

/**
 * Answers `OPTIONS`, and a method that a path does not support, with the supported methods. CORS
 * preflights are answered by the middleware before.
 */
export function answerMethods(routes: () => RouteTable): RequestHandler {
  return (request, response, next) => {
    // A request with a route goes on to it; no route is for OPTIONS.
    if (recordOf(request)?.route !== undefined) return next();
    const { method, path } = request;
    const isOptions = method === 'OPTIONS';
    const asksForLeave = request.get('access-control-request-method') !== undefined;
    if (isOptions && asksForLeave) return next(noLeave(request.get('origin') ?? ''));
    const allow = routes().methodsOf(path).join(', ');
    if (allow === '') return next();
    if (isOptions) return void response.status(204).set('Allow', allow).end();
    next(methodNotAllowed(method, allow));
  };
}

/** The error for a preflight that CORS did not answer: the page's origin is not allowed. */
function noLeave(origin: string): TypedError {
  return new TypedError('FORBIDDEN_ORIGIN', {
    message: `Pages of '${origin.slice(0, 120)}' may not call. Name it in TURNPIKE_CORS_ORIGINS to let them.`,
  });
}

function methodNotAllowed(method: string, allow: string): TypedError {
  return new TypedError('METHOD_NOT_ALLOWED', {
    message: `This route does not take ${method}. It takes ${allow}.`,
    headers: { Allow: allow },
  });
}
