import type { ToolEffect } from '../tools/tool.js';
import { isDisallowed, isUnnamedCommand } from './decide-permission.js';

export interface OfferRules {
  /** The persona's `disallowed_tools`. */
  disallowed: readonly string[];
  /** The turn's own `opts.tools`; empty when the turn has none. */
  namedByTurn: readonly string[];
}

/**
 * The tools a model is told about, in their order. The model never hears of a tool that would be
 * denied in every mode; one that only this mode denies is offered, so that the model reads why.
 */
export function offerTools<T extends { name: string; effect: ToolEffect }>(
  tools: readonly T[],
  { disallowed, namedByTurn }: OfferRules,
): T[] {
  return tools.filter(
    (tool) =>
      !isDisallowed({ tool, disallowed }) &&
      !isUnnamedCommand({ tool, namedByTurn: namedByTurn.includes(tool.name) }),
  );
}
