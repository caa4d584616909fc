import { invalidRequest, type TypedError } from '../errors/typed-error.js';
import type { ResolvedModel } from '../provider/model-resolver.js';

/** A limit in dollars holds for no model whose price is not known. @throws TypedError INVALID_REQUEST. */
export function assertPriced({ name, price }: ResolvedModel): void {
  if (price !== undefined) return;
  throw invalidRequest(
    `The price of ${name} is not known, so opts.maxCostUsd cannot hold. Name it in TURNPIKE_MODELS or TURNPIKE_PRICES, or send no opts.maxCostUsd.`,
    { pointer: '/opts/maxCostUsd' },
  );
}

/** @throws TypedError INVALID_REQUEST for tools of a model that calls none. */
export function assertNoTools({ name }: ResolvedModel, tools: readonly string[]): void {
  if (tools.length === 0) return;
  throw invalidRequest(
    `The model ${name} calls no tools. Choose another one, or send opts.tools: [].`,
    { pointer: '/opts/tools' },
  );
}

/** The refusal of a turn that would run without a bound which its sender wanted. */
export function noBound(option: string, expected: string): TypedError {
  return invalidRequest(
    `'opts.${option}' must be ${expected}. It bounds the turn, which was not begun.`,
    {
      field: `opts.${option}`,
    },
  );
}
