import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import { isAboutWhole } from '../../governance/permissions/match-rule.js';
import type { McpProblem } from '../../tools/mcp/definitions.js';
import type { OfferRules } from '../../governance/permissions/decide-permission.js';
import { describeShells, type Shells } from '../../tools/shells.js';

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

/** The notice of a turn whose commands run without a sandbox, or not at all. */
export function unsandboxed(shells: Exclude<Shells, { kind: 'sandboxed' }>): NoticePosted {
  const isOff = shells.kind === 'off';
  return clientNotice(
    'message',
    isOff ? 'commands-off' : 'commands-unsandboxed',
    isOff ? shells.explanation : `bash is ${describeShells(shells)}`,
    { reason: shells.reason },
  );
}

/** Reasons of one server that its notice has at most. */
const MAX_REASONS = 5;

/** A notice for each server that is not there, or not with all of its tools. */
export function describeMcpProblems(problems: readonly McpProblem[]): NoticePosted[] {
  const servers = new Map<string, string[]>();
  for (const { server, reason } of problems) {
    servers.set(server, [...(servers.get(server) ?? []), reason]);
  }
  return [...servers].map(([server, reasons]): NoticePosted => {
    const more = reasons.length - MAX_REASONS;
    const shown = reasons.slice(0, MAX_REASONS).join('; ');
    return clientNotice(
      'message',
      'mcp-problem',
      `MCP server ${server}: ${shown}${more > 0 ? `; and ${more} more` : ''}`,
      { server },
    );
  });
}
