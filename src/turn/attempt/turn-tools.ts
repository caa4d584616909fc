import type { Persona } from '../../agents/parse-agent-file.js';
import type { NoticePosted } from '../../events/turn-event.js';
import { offerTools, type OfferRules } from '../../governance/permissions/offer-tools.js';
import { stricterMode } from '../../options/permission-mode.js';
import { compact } from '../../platform/compact.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type {
  PermissionLayer,
  PermissionMode,
  PermissionRules,
  ServerTool,
  ToolSpec,
} from '../../storage/shapes/stored-options.js';
import { searchTools } from '../../tools/builtin/find-tools.js';
import { openTools, type RegisteredTool } from '../../tools/registry.js';
import type { ToolContext } from '../../tools/tool.js';
import type { Attempt } from '../state/attempt.js';
import type { OfferedTools, Toolset, TurnPermissions } from '../state/attempt-context.js';
import type { PartState } from '../state/prompt-part.js';
import type { Narrow, SourceTools, ToolOffer, ToolSource } from '../state/tool-source.js';
import { canAsk, offerOf } from '../state/turn-row.js';
import { isBelow } from './own-sources.js';
import { emitOnce } from './start-events.js';
import { commandsLeftOut, unknownTools } from './tool-notices.js';

/** Tools that are chosen and not yet opened. */
export interface PreparedTools extends OfferedTools {
  /** Tools by name, offered or not: a call of one that is not offered fails with the reason. */
  tools: RegisteredTool[];
  /** What sources say in the prompt, lowest place first. */
  parts: readonly PartState[];
  narrowers: readonly Narrow[];
  /** The tools that the provider runs. */
  serverTools: ServerTool[];
  permissions: TurnPermissions;
  /** What the sources give their tools to work with. */
  context: Partial<ToolContext>;
  /** The attempt with what sources add to its message. @throws TypedError */
  withMessage(attempt: Attempt): Promise<Attempt>;
  /** Releases what the sources hold. */
  close(): Promise<void>;
}

/**
 * Opens the tools of all sources, and chooses those that the options, the agent and the rules leave the turn.
 *
 * @throws what a source throws; the reason of the lease's signal. All that was opened is closed.
 */
export async function prepareTools(
  attempt: Attempt,
  sources: readonly ToolSource[],
  place: { persona: Persona; root: OpenedRoot },
): Promise<PreparedTools> {
  const offer = openOffer(attempt, place);
  const opened: SourceTools[] = [];
  try {
    await openSources(attempt, sources, { offer, opened });
    return choose(attempt, offer, { sources, opened });
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

function openOffer(
  { services, turn }: Attempt,
  { persona, root }: { persona: Persona; root: OpenedRoot },
): Omit<ToolOffer, 'taken'> & { mode: PermissionMode } {
  const { options, provenance } = offerOf(turn).options;
  // The ceiling may be lower than when the turn was accepted.
  const mode = stricterMode(options.mode, services.config.modeCeiling);
  const asks = canAsk(turn.request, [...(turn.childTerms?.layers ?? []), { mode }]);
  return { persona, root, options, isExplicit: provenance.tools === 'opts', asks, mode };
}

/** Opens one source after the other, so that each knows which names are taken. @param into.opened gets what was opened. */
async function openSources(
  attempt: Attempt,
  sources: readonly ToolSource[],
  { offer, opened }: { offer: Omit<ToolOffer, 'taken'>; opened: SourceTools[] },
): Promise<void> {
  const taken = new Set<string>();
  for (const source of sources) {
    const found = await openSource(source, attempt, { ...offer, taken });
    const tools = found.tools.filter(({ name }) => !taken.has(name));
    opened.push({ ...found, tools });
    for (const { name } of tools) taken.add(name);
    for (const name of found.reserved ?? []) taken.add(name);
    emitAll(attempt, found.notices);
  }
  attempt.lease.signal.throwIfAborted();
}

/** No tool of a replay runs: a source that would open connections lists what was recorded. */
function openSource(
  source: ToolSource,
  attempt: Attempt,
  offer: ToolOffer,
): SourceTools | Promise<SourceTools> {
  return attempt.turn.request.replay === undefined || source.openRecorded === undefined
    ? source.open(attempt, offer)
    : source.openRecorded(attempt, offer);
}

function choose(
  attempt: Attempt,
  offer: ReturnType<typeof openOffer>,
  { sources, opened }: { sources: readonly ToolSource[]; opened: readonly SourceTools[] },
): PreparedTools {
  const { toolTimeoutMs: timeoutMs, toolOutputLimit: outputLimit } = attempt.services.config;
  const isEmpty = attempt.turn.request.replay?.tools === 'none';
  const tools = isEmpty ? [] : opened.flatMap((source) => withinBounds(attempt, source));
  const permissions = layerPermissions(attempt, offer, opened);
  const offered = offerTools(tools, permissions);
  const following = opened.map((source) => source.follow?.(offered) ?? {});
  for (const { notices } of following) emitAll(attempt, notices);
  const listed = offer.persona.tools ?? [];
  if (offer.isExplicit) emitAll(attempt, unknownTools(offer.options, { sources, opened }));
  else if (tools.some(({ effect }) => effect === 'command')) {
    emitAll(attempt, commandsLeftOut({ listed, tools, offered, rules: permissions }));
  }
  return {
    specs: offered.map(specOf),
    clientTools: new Set(
      opened.flatMap(({ runBy, tools: ofSource }) =>
        runBy === 'client' ? ofSource.map(({ name }) => name) : [],
      ),
    ),
    timeoutMs,
    outputLimit,
    tools,
    parts: sources
      .flatMap(({ prompt }, index) =>
        prompt === undefined ? [] : [{ part: prompt, state: following[index]?.state }],
      )
      .sort((a, b) => a.part.order - b.part.order),
    narrowers: following.flatMap(({ narrow }) => narrow ?? []),
    serverTools: chooseProviderTools(attempt, opened, permissions),
    permissions,
    context: Object.assign({}, ...opened.map(({ context }) => context)) as Partial<ToolContext>,
    withMessage: (now) => withMessages(now, opened),
    close: () => closeAll(opened),
  };
}

/** A subagent has no tool that its parent does not have, and no turn one above the operator's ceiling. */
function withinBounds(
  { services, turn }: Attempt,
  { tools, bounds }: SourceTools,
): readonly RegisteredTool[] {
  const ofParent = bounds.includes('parent') ? turn.childTerms?.tools : undefined;
  const ceiling = bounds.includes('ceiling') ? services.config.toolCeiling : undefined;
  return tools.filter(
    ({ name }) => (ofParent === undefined || ofParent.includes(name)) && isBelow(ceiling, name),
  );
}

function layerPermissions(
  { services, turn, session, grants }: Attempt,
  { options, mode, isExplicit, persona, root }: ReturnType<typeof openOffer>,
  opened: readonly SourceTools[],
): TurnPermissions {
  const own: PermissionLayer = {
    name: options.persona,
    mode,
    named: [...(isExplicit ? options.tools : []), ...opened.flatMap(({ named = [] }) => named)],
    agent: persona.permissions,
  };
  return {
    layers: [...(turn.childTerms?.layers ?? []), own],
    server: services.serverPermissions,
    session: sessionRules(session.permissions ?? {}, services.config.modeCeiling),
    grants: [...grants],
    root,
  };
}

/** Rules of a session that allow calls are as good as a mode that asks nobody. */
function sessionRules(
  { allow, ...rest }: PermissionRules,
  ceiling: PermissionMode,
): PermissionRules {
  return allow === undefined || ceiling !== 'acceptEdits' ? rest : { allow, ...rest };
}

function chooseProviderTools(
  attempt: Attempt,
  opened: readonly SourceTools[],
  rules: OfferRules,
): ServerTool[] {
  return opened.flatMap((source) => {
    const { tools = [], notices = [] } = source.providerTools?.(rules) ?? {};
    emitAll(attempt, notices);
    return tools;
  });
}

function specOf({ name, description, inputSchema, definedAs }: RegisteredTool): ToolSpec {
  return { name, description, inputSchema, ...compact({ definedAs }) };
}

async function withMessages(attempt: Attempt, opened: readonly SourceTools[]): Promise<Attempt> {
  let now = attempt;
  for (const source of opened) now = (await source.withMessage?.(now)) ?? now;
  return now;
}

/** @throws AggregateError of what the sources threw; each was closed. */
async function closeAll(opened: readonly SourceTools[]): Promise<void> {
  const closed = await Promise.allSettled(opened.map(async (source) => source.close?.()));
  const failures = closed.flatMap((one): unknown[] =>
    one.status === 'rejected' ? [one.reason] : [],
  );
  if (failures.length > 0) throw new AggregateError(failures, 'Sources of tools failed to close');
}

function emitAll(attempt: Attempt, notices: readonly NoticePosted[] = []): void {
  for (const notice of notices) emitOnce(attempt, notice);
}

/** @param hasDeferred whether tools are deferred: a model without the provider's search finds them by ours. */
export function openToolset(
  prepared: PreparedTools,
  hasDeferred: boolean,
  openContext: () => ToolContext,
): Toolset {
  const { specs, clientTools, timeoutMs, outputLimit } = prepared;
  const searches = hasDeferred ? searchTools : [];
  const tools = openTools([...prepared.tools, ...searches], openContext);
  return {
    specs,
    clientTools,
    timeoutMs,
    outputLimit,
    get: (name) => tools.get(name),
    close: async () => {
      try {
        await tools.close();
      } finally {
        await prepared.close();
      }
    },
  };
}
