import type { TurnRecord } from '#src/client/turnpike-client.js';
import { agentConfigToWire } from '#src/governance/decision-tree/agent-config.js';

type Options = Record<string, unknown>;

/** Options of the request rather than of the message: what to do while a turn is active, and without readers. */
const ofMoment: readonly string[] = ['onBusy', 'onDisconnect'];

/**
 * The `opts` that a turn was sent with, of those that were used. Options of its session, agent, user or server are not
 * among them: they apply anew. Pure.
 */
export function optionsOfTurn({
  options,
  provenance: { agentConfig: limits, ...tiers },
}: Pick<TurnRecord, 'options' | 'provenance'>): Options {
  const { model, fallbackFrom = model, clientTools, skills, costLimit } = options;
  const resolved: Options = { ...options, model: fallbackFrom };
  const given = Object.entries(tiers).flatMap(([name, tier]): [string, unknown][] =>
    tier === 'opts' && !ofMoment.includes(name) ? [[name, resolved[name]]] : [],
  );
  // The most iterations are `maxTurns`, which may exceed the bounds that the limit has here.
  const { maxIterations: _maxTurns, ...limitTiers } = limits;
  const agentConfig = Object.entries(options.agentConfig).filter(([name]) =>
    Object.entries(limitTiers).some(([limit, tier]) => limit === name && tier === 'opts'),
  );
  return {
    ...Object.fromEntries(given),
    // These are never of another tier.
    ...(clientTools !== undefined && { clientTools }),
    ...(skills !== undefined && { skills }),
    ...(costLimit !== undefined && { maxCostUsd: costLimit.usd }),
    ...(agentConfig.length > 0 && {
      agentConfig: agentConfigToWire(Object.fromEntries(agentConfig)),
    }),
  };
}

/** The options that the user has changed in the composer. An option that was removed is undefined. Pure. */
export function changedOptions(before: Options, now: Options): Options {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, unknown][] =>
      JSON.stringify(before[name]) === JSON.stringify(now[name]) ? [] : [[name, now[name]]],
    ),
  );
}
