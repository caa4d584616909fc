import type { Route } from './route-table.js';

/** What is read of the router: a layer without a route is something that stands before routes. */
export interface RoutedApp {
  router: {
    stack: readonly {
      route?: { path: string; stack: readonly { method?: string }[] } | undefined;
    }[];
  };
}

/** The routes of an application that was initialised, as its router has them. */
export function findRoutes({ router }: RoutedApp): Route[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const { path: pattern, stack } = route;
    return stack.flatMap(({ method }) =>
      method === undefined ? [] : [{ method: method.toUpperCase(), pattern }],
    );
  });
}
