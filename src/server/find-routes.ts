import type { Route } from './route-table.js';

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
