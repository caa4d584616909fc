/** A route as the framework has it: `/api/harness/turns/:id`, `/admin/queues/*path`. */
export interface Route {
  /** In capitals. */
  method: string;
  pattern: string;
}

interface Compiled extends Route {
  expression: RegExp;
}

/** Which routes there are, for what is said of a request before and after its route. Pure. */
export class RouteTable {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ ...route, expression: compile(route.pattern) }));
  }

  /** The methods that a path takes, in alphabetical order; none where there is no such path. */
  methodsOf(path: string): string[] {
    const methods = new Set(this.#routes.flatMap((route) => methodOf(route, path)));
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return [...methods].toSorted();
  }

  /** The route of a request; undefined where there is none. */
  patternOf(method: string, path: string): string | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const isOne = (route: Compiled): boolean =>
      route.method === wanted && route.expression.test(path);
    return this.#routes.find(isOne)?.pattern;
  }
}

function methodOf({ method, expression }: Compiled, path: string): string[] {
  return expression.test(path) ? [method] : [];
}

/** As the router reads a path: in any case of letters, with a slash at its end or without. */
function compile(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    if (part.startsWith('*')) return '.+';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}/?$`, 'i');
}
