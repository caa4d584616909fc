import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { plainNumbers } from '../platform/exact-json.js';
import { isPlainObject } from '../platform/json.js';

/** Bodies as they came, by their plain ones, where the two differ. */
const exactBodies = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** The body that routes get: with plain numbers. `exactFields` has those of tools as they came. */
export function plainBody(exact: unknown): unknown {
  const body = plainNumbers(exact);
  if (body !== exact && isPlainObject(body) && isPlainObject(exact)) exactBodies.set(body, exact);
  return body;
}

/** A body whose fields `names` have exact numbers (`exact-json.ts`), as they are of tools. */
export function exactFields(body: unknown, ...names: string[]): unknown {
  const exact = isPlainObject(body) ? exactBodies.get(body) : undefined;
  if (!isPlainObject(body) || exact === undefined) return body;
  const given = names.filter((name) => Object.hasOwn(exact, name));
  return { ...body, ...Object.fromEntries(given.map((name) => [name, exact[name]])) };
}

/** The fields of a request's body that have exact numbers, by their names. */
export const ExactFields = createParamDecorator((names: string[], context: ExecutionContext) => {
  const { body } = context.switchToHttp().getRequest<Request>();
  const exact = exactFields(body, ...names);
  return isPlainObject(exact) ? Object.fromEntries(names.map((name) => [name, exact[name]])) : {};
});
