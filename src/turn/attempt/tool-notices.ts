import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import { isAboutWhole } from '../../governance/permissions/match-rule.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';

export interface LeftOutQuestion {
  /** Names of the tools in the agent's file. */
  listed: readonly string[];
  tools: readonly { name: string; effect: ToolEffect }[];
  /** Tools that the model may call. */
  offered: readonly { name: string }[];
  rules: OfferRules;
}

/**
 * A notice for each tool that an agent's file lists and its turn goes without because it runs
 * commands: an agent's list alone is no leave for that. What a rule denies was meant so. Pure.
 */
export function commandsLeftOut({
  listed,
  tools,
  offered,
  rules,
}: LeftOutQuestion): NoticePosted[] {
  const { layers, server, session } = rules;
  const denied = [server, session, ...layers.map(({ agent }) => agent)].flatMap(
    ({ deny = [] }) => deny,
  );
  return tools
    .filter(({ name, effect }) => effect === 'command' && listed.includes(name))
    .filter(({ name }) => !offered.some((one) => one.name === name))
    .filter(({ name }) => !denied.some((rule) => isAboutWhole(rule, name)))
    .map(({ name }) =>
      clientNotice(
        'message',
        'tool-left-out',
        `The turn goes without ${name}, which its agent lists: it runs commands. List it in opts.tools, or allow some of it, for example ${name}(git status*), in the permissions of the agent, the session or the server.`,
        { tool: name },
      ),
    );
}
