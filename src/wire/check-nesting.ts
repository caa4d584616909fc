import { invalidRequest } from '../platform/typed-error.js';

/** Far beyond any body that is meant, far below where what walks one runs out of stack. */
const MAX_DEPTH = 100;

/** Refuses a body that is nested too deep, before validators recurse into it. Middleware. */
export function checkNesting(
  request: { body?: unknown },
  _response: unknown,
  next: (error?: unknown) => void,
): void {
  if (!isDeeperThan(MAX_DEPTH, request.body)) return next();
  next(
    invalidRequest(`The request body is nested too deep: at most ${MAX_DEPTH} levels`, {
      limit: MAX_DEPTH,
    }),
  );
}

/** Whether lists and objects are nested in more than `levels` levels. Not recursive itself. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let containers = [value].filter(isContainer);
  for (let level = 1; level <= levels && containers.length > 0; level += 1) {
    containers = containers.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return containers.length > 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
