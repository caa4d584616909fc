import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { askText } from '../../governance/permissions/approver-rules.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';
import { isAbout } from '../../governance/permissions/match-rule.js';
import { matchText } from '../../governance/permissions/match-pattern.js';
import { hasServerTool, isServerToolName } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import type {
  ClientTool,
  ServerTool,
  ServerToolName,
} from '../../storage/shapes/stored-options.js';
import { BASH_TOOL } from '../../tools/builtin/bash.js';
import { describedTool, digestOf, type ToolRegistry } from '../../tools/registry.js';
import { describeShells, type Shells } from '../../tools/shells.js';
import type { SourceTools, ToolOffer, ToolSource, ToolSources } from '../state/tool-source.js';

/** The tools of the registry, by their names, apart from those that a source of their own offers. */
export function registrySource(
  registry: ToolRegistry,
  { sources, shells }: { sources: Pick<ToolSources, 'isOwned'>; shells: Shells },
): ToolSource {
  return {
    name: 'registry',
    precedence: 0,
    open: (_attempt, { options }) => ({
      tools: registry.select(options.tools.filter((name) => !sources.isOwned(name))).tools,
      bounds: ['parent', 'ceiling'],
      reserved: registry.list().flatMap(({ name }) => (sources.isOwned(name) ? [] : name)),
      follow: (offered) => ({
        notices:
          shells.kind !== 'sandboxed' && offered.some(({ name }) => name === BASH_TOOL)
            ? [unsandboxed(shells)]
            : [],
      }),
    }),
  };
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

/** The tools that the client runs: here their calls are checked. */
export const clientSource: ToolSource = {
  name: 'client',
  precedence: 90,
  open: (_attempt, { options, taken }) => openClientTools(options.clientTools ?? [], taken),
};

/**
 * The client's tools for the model, and to check their calls by. Where a name is taken, the
 * server's tool has it, and a notice says so: only the run could know the tools of an MCP server.
 */
export function openClientTools(
  tools: readonly ClientTool[],
  taken: ReadonlySet<string>,
): SourceTools {
  return {
    tools: tools
      .filter(({ name }) => !taken.has(name))
      .map((tool) => describedTool(tool, 'is a tool of the client: it does not run here'))
      .map((tool) => ({ ...tool, digest: digestOf(tool, 'client') })),
    bounds: [],
    runBy: 'client',
    notices: tools.filter(({ name }) => taken.has(name)).map(({ name }) => clientToolHidden(name)),
  };
}

function clientToolHidden(name: string): NoticePosted {
  return clientNotice(
    'message',
    'client-tool-hidden',
    `The client's tool ${name} is not offered to the model: a tool of the server's has that name. Give yours another one.`,
    { name },
  );
}

/** The tools that the provider runs. */
export const providerSource: ToolSource = {
  name: 'provider',
  precedence: 95,
  open: ({ services, turn }, offer) => ({
    tools: [],
    bounds: [],
    providerTools: (rules) =>
      chooseServerTools({
        asked: listedBy(offer),
        allowed: services.config.serverTools.filter(({ name }) =>
          isBelow(services.config.toolCeiling, name),
        ),
        model: services.models.describe(offer.options.model),
        within: turn.childTerms?.tools,
        rules,
      }),
  }),
  openRecorded: (_attempt, offer) => ({
    tools: [],
    bounds: [],
    notices: leaveOutServerTools(listedBy(offer)),
  }),
};

/** Tools that the provider would run are left out of a replay: their results would be new. */
export function leaveOutServerTools(listed: readonly string[]): NoticePosted[] {
  const reason = 'it is a replay, which no tool runs in, and the provider would run this one';
  const names = new Set(listed.filter(isServerToolName));
  return [...names].map((name) => serverToolMissing({ name, reason }));
}

/** The tools that the turn or its agent lists. */
function listedBy({ isExplicit, options, persona }: ToolOffer): readonly string[] {
  return isExplicit ? options.tools : (persona.tools ?? []);
}

export interface ServerToolQuestion {
  /** The tools that the turn or its agent lists. */
  asked: readonly string[];
  /** The tools that the operator allows. */
  allowed: readonly ServerTool[];
  model: Model;
  /** The tools of a subagent's parent; undefined where there is no parent. */
  within: readonly string[] | undefined;
  rules: OfferRules;
}

/**
 * The tools of the provider that a turn is offered: listed by name, allowed by the operator, known to
 * the model, and touched by no rule that denies or asks, as nobody can be asked while the provider
 * runs them. A notice says what is missing.
 */
export function chooseServerTools({ asked, allowed, model, within, rules }: ServerToolQuestion): {
  tools: ServerTool[];
  notices: NoticePosted[];
} {
  const tools: ServerTool[] = [];
  const notices: NoticePosted[] = [];
  for (const name of new Set(asked.filter(isServerToolName))) {
    const tool = allowed.find((one) => one.name === name);
    const reason =
      tool === undefined
        ? 'TURNPIKE_SERVER_TOOLS does not list it'
        : (missingFor(name, model) ?? ruledOut(name, rules));
    if (tool === undefined || reason !== undefined) {
      notices.push(serverToolMissing({ name, reason: reason ?? '' }));
    } else if (within?.includes(name) !== false) {
      tools.push(tool);
    }
  }
  return { tools, notices };
}

function missingFor(name: ServerToolName, model: Model): string | undefined {
  return hasServerTool(model, name) ? undefined : `the model ${model.id} has no such tool here`;
}

function ruledOut(name: string, { layers, server, session }: OfferRules): string | undefined {
  const rule = layers
    .flatMap(({ agent }) => [server, agent, session])
    .flatMap(({ deny = [], ask = [] }) => [...deny, ...ask.map(askText)])
    .find((one) => isAbout(one, name));
  return rule === undefined ? undefined : `the rule ${rule} denies it, or asks about it`;
}

/** A notice for clients: they listed a tool that the model does not have. */
function serverToolMissing({ name, reason }: { name: string; reason: string }): NoticePosted {
  return clientNotice(
    'message',
    'server-tool-missing',
    `The turn goes without ${name}: ${reason}.`,
    { tool: name },
  );
}

/** @param ceiling names of tools, `*` for any characters; undefined: all. */
export function isBelow(ceiling: readonly string[] | undefined, name: string): boolean {
  return ceiling === undefined || ceiling.some((allowed) => matchText(allowed, name));
}
