import type { RequestHandler } from 'express';
import { recordOf } from '../http/request-record.js';
import { TypedError } from '../errors/typed-error.js';

/** A route in the framework's form: `/api/harness/turns/:id`, `/admin/queues/*path`. */
export interface Route {
  /** HTTP method, in capitals. */
  method: string;
  pattern: string;
}

/** The used part of Express' router: a layer without a route is middleware. */
export interface RoutedApp {
  router: {
    stack: readonly {
      route?: { path: string; stack: readonly { method?: string }[] } | undefined;
    }[];
  };
}

/** Routes of an initialised application, from its router. */
export function findRoutes({ router }: RoutedApp): Route[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const { path: pattern, stack } = route;
    return stack.flatMap(({ method }) =>
      method === undefined ? [] : [{ method: method.toUpperCase(), pattern }],
    );
  });
}

interface Compiled extends Route {
  expression: RegExp;
}

/** The routes, for middleware outside of the router. Pure. */
export class RouteTable {
  readonly #routes: readonly Compiled[];
  /** Answers of `patternOf` for patterns without parameters: no expression is tried for them. */
  readonly #plain: ReadonlyMap<string, string | undefined>;

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ ...route, expression: compile(route.pattern) }));
    this.#plain = new Map(
      routes
        .filter(({ pattern }) => !/[:*]/.test(pattern))
        .map(({ method, pattern }) => [`${method} ${pattern}`, this.#find(method, pattern)]),
    );
  }

  /** Supported methods of a path, in alphabetical order; none for an unknown path. */
  methodsOf(path: string): string[] {
    const methods = new Set(this.#routes.flatMap((route) => methodOf(route, path)));
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return [...methods].toSorted();
  }

  /** Pattern of a request's route, which is the first that matches; undefined where there is none. */
  patternOf(method: string, path: string): string | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return this.#plain.get(`${wanted} ${path}`) ?? this.#find(wanted, path);
  }

  #find(method: string, path: string): string | undefined {
    const isOne = (route: Compiled): boolean =>
      route.method === method && route.expression.test(path);
    return this.#routes.find(isOne)?.pattern;
  }
}

function methodOf({ method, expression }: Compiled, path: string): string[] {
  return expression.test(path) ? [method] : [];
}

/** Matches as the router does: case-insensitively, with or without a final slash. */
function compile(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    if (part.startsWith('*')) return '.+';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}/?$`, 'i');
}

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
    message: `Pages of '${origin.slice(0, 120)}' may not call this API. Add the origin to TURNPIKE_CORS_ORIGINS to allow it.`,
  });
}

function methodNotAllowed(method: string, allow: string): TypedError {
  return new TypedError('METHOD_NOT_ALLOWED', {
    message: `This route does not take ${method}. It takes ${allow}.`,
    headers: { Allow: allow },
  });
}
