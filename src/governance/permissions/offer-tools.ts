import type { PermissionLayer, PermissionRules } from '../../storage/shapes/stored-options.js';
import type { PermissionArgument, ToolEffect } from '../permission-subject.js';
import { isAbout, isAboutWhole } from './match-rule.js';

/** `name` is the agent's, for the reason of a decision. */
export type AgentLayer = PermissionLayer & { name?: string };

export interface PermissionQuestion {
  tool: { name: string; effect: ToolEffect; deniedWith?: readonly string[] | undefined };
  /** The argument that patterns are compared with; undefined for a tool that declares none. */
  argument?: PermissionArgument | undefined;
  /**
   * A layer for each agent in the chain of delegation, the turn's own last; never empty. Modes
   * other than `acceptEdits`, `dontAsk` and `plan` mean `direct`.
   */
  layers: readonly AgentLayer[];
  /** The server's policy. */
  server: PermissionRules;
  session: PermissionRules;
  /** Rules that people approved for the rest of the session. */
  grants: readonly string[];
}

/** Tools whose `deny` rules apply to a tool: its own name, and the tools whose content it shows. */
export function denyingNames({
  name,
  deniedWith = [],
}: Pick<PermissionQuestion['tool'], 'name' | 'deniedWith'>): string[] {
  return [name, ...deniedWith];
}

export type OfferRules = Pick<PermissionQuestion, 'layers' | 'server' | 'session'>;

/**
 * The tools that a model is offered, in their order. A tool whose every call would be denied is
 * left out; a tool that only the mode denies is offered, so that the model learns the reason.
 */
export function offerTools<T extends PermissionQuestion['tool']>(
  tools: readonly T[],
  { layers, server, session }: OfferRules,
): T[] {
  return tools.filter(({ name, effect, deniedWith }) =>
    layers.every(({ named, agent }) => {
      const sources = [server, agent, session];
      const names = denyingNames({ name, deniedWith });
      const isDenied = sources.some(({ deny = [] }) =>
        deny.some((one) => names.some((denied) => isAboutWhole(one, denied))),
      );
      if (isDenied || effect !== 'command' || named.includes(name)) return !isDenied;
      return sources.some(({ allow = [] }) => allow.some((one) => isAbout(one, name)));
    }),
  );
}
