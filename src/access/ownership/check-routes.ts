/** A handler of a controller, and whether it says whose things it is about. */
export interface RouteFound {
  /** `TurnController.post`. */
  name: string;
  isDeclared: boolean;
}

/** @throws Error that names every route nobody has thought about. Pure. */
export function checkRoutes(routes: readonly RouteFound[]): void {
  const forgotten = routes.filter(({ isDeclared }) => !isDeclared).map(({ name }) => name);
  if (forgotten.length === 0) return;
  throw new Error(
    `These routes do not say whose things they are about: ${forgotten.join(', ')}. Give each @Owned({ session: 'params.id' }), @Unowned('why') or @Open('why') of src/access/owned.decorator.ts.`,
  );
}
