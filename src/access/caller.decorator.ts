import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from './principal.js';

const callers = new WeakMap<object, Principal>();

export function setCaller(request: object, principal: Principal): void {
  callers.set(request, principal);
}

/** The principal that sent a request; undefined on an open route, and for a refused request. */
export function findCaller(request: object): Principal | undefined {
  return callers.get(request);
}

/** The principal of the request, as authenticated by the guard. */
export function callerOf(request: object): Principal {
  const caller = findCaller(request);
  if (caller === undefined) throw new Error('A route that is open has no caller');
  return caller;
}

/** The request's principal, as a parameter of a handler. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
