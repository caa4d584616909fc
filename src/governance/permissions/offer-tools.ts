import { denyingNames, type PermissionQuestion } from './decide-permission.js';
import { isAbout, isAboutWhole } from './match-rule.js';

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
