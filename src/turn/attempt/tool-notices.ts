import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import { isAboutWhole } from '../../governance/permissions/match-rule.js';
import { nearestName } from '../../platform/parsing/nearest-name.js';
import { isServerToolName } from '../../provider/model-types.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { SourceTools, ToolSource } from '../state/tool-source.js';
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

/** A notice has at most so many names: the list is the client's own. */
const MOST = 10;

type Opened = Pick<SourceTools, 'reserved'> & { tools: readonly { name: string }[] };

/**
 * The notice of names in `opts.tools` for which the turn has no tool; none where it has one for each. Tools that the
 * provider runs, and those that a source has for itself, have notices of their own. Pure.
 */
export function unknownTools(
  options: Pick<ResolvedOptions, 'tools'>,
  { sources, opened }: { sources: readonly Pick<ToolSource, 'owns'>[]; opened: readonly Opened[] },
): NoticePosted[] {
  const tools = opened.flatMap((source) => source.tools.map(({ name }) => name));
  const isThere = (name: string): boolean =>
    isServerToolName(name) ||
    sources.some(({ owns }) => owns?.includes(name) === true) ||
    // A name may stand for all tools of a server.
    tools.some((tool) => tool === name || tool.startsWith(`${name}__`));
  const unknown = options.tools.filter((name) => !isThere(name));
  if (unknown.length === 0) return [];
  // The registry has more tools than the turn lists.
  const known = [...tools, ...opened.flatMap(({ reserved = [] }) => reserved)];
  const shown = unknown.slice(0, MOST).map((name) => {
    const near = nearestName(name, known);
    return `${JSON.stringify(name)}${near === undefined ? '' : ` (do you mean ${near}?)`}`;
  });
  const more = unknown.length > MOST ? ` and ${unknown.length - MOST} more` : '';
  return [
    clientNotice(
      'message',
      'tools-unknown',
      `The turn has no tool for these names in opts.tools: ${shown.join(', ')}${more}.`,
      { tools: unknown.slice(0, MOST) },
    ),
  ];
}
