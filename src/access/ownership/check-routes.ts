/** A route handler, and whether its ownership is declared. */
export interface RouteFound {
  /** Controller and method: `TurnController.post`. */
  name: string;
  isDeclared: boolean;
}

/** Checks that every route declares its ownership. @throws Error that names the others. Pure. */
export function checkRoutes(routes: readonly RouteFound[]): void {
  const forgotten = routes.filter(({ isDeclared }) => !isDeclared).map(({ name }) => name);
  if (forgotten.length === 0) return;
  throw new Error(
    `These routes do not declare their ownership: ${forgotten.join(', ')}. Give each @Owned({ session: 'params.id' }), @Unowned('why') or @Open('why') of src/access/owned.decorator.ts.`,
  );
}
