import { denyingNames, type PermissionQuestion } from './decide-permission.js';
import { isAbout, isAboutWhole } from './match-rule.js';

export type OfferRules = Pick<PermissionQuestion, 'layers' | 'server' | 'session'>;

/**
 * The tools a model is told about, in their order. The model never hears of a tool that would be
 * denied whatever it is called with; one that only this mode denies is offered, so that the model
 * reads why.
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
