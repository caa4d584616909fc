import { compact } from '../../platform/compact.js';
import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import type { SubagentDecision } from '../../storage/shapes/stored-permissions.js';
import type { ReplayOffer, StoredRequest } from '../../storage/shapes/stored-turn.js';

/** Options and delegation of a turn, by which it is offered tools. */
export interface TurnOffer {
  options: OptionResolution;
  delegation: SubagentDecision | null;
}

/**
 * Takes the tools out of a replay's options, to be stored with its request instead. Workers of versions without
 * replays read the options alone: one of them that claims a replay has no tool to run. Pure.
 */
export function hideOffer<T extends { options: OptionResolution; delegation: SubagentDecision }>(
  turn: T,
): { turn: T; offer: ReplayOffer } {
  const { options: resolution, delegation } = turn;
  const { tools, memory, clientTools, ...options } = resolution.options;
  const { tools: toolsFrom } = resolution.provenance;
  const provenance = { ...resolution.provenance, tools: 'opts' } as const;
  return {
    turn: {
      ...turn,
      options: { ...resolution, options: { ...options, tools: [] }, provenance },
      delegation: { ...delegation, delegatedSubagents: [] },
    },
    offer: {
      tools,
      toolsFrom,
      delegatedSubagents: delegation.delegatedSubagents,
      ...compact({ memory, clientTools }),
    },
  };
}

/** The options and the delegation of a turn as they were resolved, also of a replay. Pure. */
export function offerOf(turn: TurnOffer & { request: Pick<StoredRequest, 'replay'> }): TurnOffer {
  const { options, delegation, request } = turn;
  const offer = request.replay?.offer;
  if (offer === undefined) return { options, delegation };
  const { toolsFrom, delegatedSubagents, ...tools } = offer;
  return {
    options: {
      ...options,
      options: { ...options.options, ...tools },
      provenance: { ...options.provenance, tools: toolsFrom },
    },
    delegation: delegation && { ...delegation, delegatedSubagents },
  };
}
