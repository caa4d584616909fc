import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from './principal.js';

const callers = new WeakMap<object, Principal>();

export function setCaller(request: object, principal: Principal): void {
  callers.set(request, principal);
}

/** Who sent the request; undefined for one of a route that is open, and for one that was refused. */
export function findCaller(request: object): Principal | undefined {
  return callers.get(request);
}

/** Who sent the request, as the guard found out. */
export function callerOf(request: object): Principal {
  const caller = findCaller(request);
  if (caller === undefined) throw new Error('A route that is open has no caller');
  return caller;
}

/** The same, as a parameter of a handler. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
