import type { PermissionMode, ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { compact } from '../../platform/compact.js';
import { isSameJson } from '../../platform/json.js';
import type { AnnouncedChanges, RequestPrefix } from '../../storage/shapes/sent-request.js';
import { assertNever } from '../../platform/assert-never.js';
import type { KeptPart, PartState, PrefixFields } from '../state/prompt-part.js';
import { announce } from './announcements.js';

/** The prefix that a turn asks for. */
export interface PrefixInput {
  /** The system prompt, with a permission mode and the paragraphs of parts in it. */
  systemIn(mode: PermissionMode, paragraphs: readonly string[]): string;
  mode: PermissionMode;
  /** Tools that the turn can call. */
  tools: readonly ToolSpec[];
  /** What features say in the prompt, in the order of their paragraphs. Absent: nothing. */
  parts?: readonly PartState[];
  /** The last compaction of the conversation. Absent: none. */
  compaction?: string | undefined;
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** What notices say that the turn's requests contain. Absent: there are none. */
  announced?: AnnouncedChanges;
}

export interface ChosenPrefix {
  prefix: RequestPrefix;
  /** Whether the prefix differs from the one that the session has stored. */
  isChanged: boolean;
  /**
   * The notice for the model of what neither the prefix nor an earlier notice says; undefined where the model knows
   * everything.
   */
  notice: string | undefined;
  /** What the notice says. */
  said: AnnouncedChanges;
  /** Whether any tool is on: a turn without one must not offer those that are off. */
  hasTools: boolean;
}

/**
 * Chooses the prefix of a turn's requests. A session's prefix stays as it was sent for as long as
 * it can: the provider's cache, and thinking that is bound to the prefix, are lost with the first
 * byte that changes. So a tool that is off for a turn stays listed, and another permission mode, or what a part can
 * tell, becomes a notice. An edited prompt, another persona or a tool that the turn was not given before begin a new
 * prefix, and so does a change among the provider's own tools: a listed one runs, whatever a notice says. A compaction
 * changes the bytes after the prefix: what has changed in parts is in a new prefix from there on. Notices of earlier
 * turns stand after any prefix: where the last of them says something else than is so now, another one corrects it. Pure.
 */
export function choosePrefix(stored: RequestPrefix | null, input: PrefixInput): ChosenPrefix {
  const { mode, tools, serverTools = [], announced = {} } = input;
  const places = [stored ?? {}, stored?.told ?? {}, announced];
  const parts = (input.parts ?? []).filter((one) => isAsked(one, places));
  const wanted = { ...input, parts };
  const kept = stored === null ? undefined : keepPrefix(stored, wanted);
  const prefix = kept ?? beginPrefix(stored, wanted);
  const { text: notice, said, told } = announce(prefix, announced, { mode, tools, parts });
  const isChanged = prefix !== stored || !isSameJson(told, stored.told);
  return {
    prefix: isChanged ? { ...prefix, told } : prefix,
    isChanged,
    notice,
    said,
    hasTools: tools.length + serverTools.length > 0,
  };
}

type Wanted = PrefixInput & { parts: readonly PartState[] };

/** A part is asked where the turn has something of it, or had. */
function isAsked({ part, state }: PartState, places: readonly object[]): boolean {
  return state !== undefined || part.fields.some((field) => places.some((one) => field in one));
}

/** The prefix of the last request for this one: with more tools at its end at most. Undefined where it cannot be kept. */
function keepPrefix(stored: RequestPrefix, input: Wanted): RequestPrefix | undefined {
  const { tools, parts, compaction } = input;
  const kept: KeptPart[] = [];
  for (const { part, state } of parts) {
    const one = part.keep === undefined ? keptAsIs : part.keep(stored, { state, tools });
    if (one === undefined) return undefined;
    kept.push(one);
  }
  const covered = new Set(kept.flatMap(({ covers }) => covers));
  const others = tools.filter(({ name }) => !covered.has(name));
  if (!isKept(stored, others, input)) return undefined;
  const isCompacted = compaction !== stored.compaction;
  if (isCompacted && kept.some(({ isOutdated }) => isOutdated)) return undefined;
  const added = kept.flatMap((one) => one.added);
  if (added.length === 0 && !isCompacted) return stored;
  return { ...stored, tools: [...stored.tools, ...added], ...compact({ compaction }) };
}

const keptAsIs: KeptPart = { covers: [], added: [], isOutdated: false };

/** Whether a prefix has these tools as the turn has them, and all beside the tools. */
function isKept(
  stored: RequestPrefix,
  tools: readonly ToolSpec[],
  { systemIn, serverTools = [], parts }: Wanted,
): boolean {
  const sent = new Map(stored.tools.map((tool) => [tool.name, tool]));
  return (
    tools.every((tool) => isSameJson(sent.get(tool.name), tool)) &&
    systemIn(stored.mode, paragraphsOf(parts, stored)) === stored.system &&
    isSameJson(stored.serverTools ?? [], serverTools)
  );
}

function beginPrefix(stored: RequestPrefix | null, input: Wanted): RequestPrefix {
  const { systemIn, mode, serverTools = [], parts, compaction } = input;
  let { tools } = input;
  const fields: PrefixFields = {};
  for (const { part, state } of parts) {
    const begun = part.begin(state, tools);
    tools = begun.tools ?? tools;
    Object.assign(fields, begun.fields);
  }
  return {
    system: systemIn(mode, paragraphsOf(parts, fields)),
    tools: [...tools],
    ...(serverTools.length === 0 ? {} : { serverTools }),
    ...fields,
    mode,
    told: { mode, off: [] },
    ...compact({ compaction, leftOut: stored?.leftOut, waits: stored?.waits }),
  };
}

function paragraphsOf(parts: readonly PartState[], fields: PrefixFields): string[] {
  return parts.flatMap(({ part }) => part.paragraphs(fields));
}

export interface SystemFacts {
  /** The persona's instructions. */
  prompt: string;
  persona: string;
  projectRoot: string;
  mode: PermissionMode;
  /** Paragraphs of parts. Absent: none. */
  paragraphs?: readonly string[];
  /** What the application says beside the user. Absent: nothing. */
  instructions?: string;
}

/**
 * The system prompt of every call of a turn. Nothing in it changes between steps, or between turns
 * with the same persona and mode, so that it stays in the provider's cache. Pure.
 */
export function buildSystem(facts: SystemFacts): string {
  const { prompt, persona, projectRoot, mode, paragraphs = [], instructions = '' } = facts;
  return [
    prompt.trim(),
    `You are running as ${persona}, in the project ${projectRoot}. Tools work inside that folder; give paths relative to it.`,
    `Permission mode: ${mode}. ${describeMode(mode)}`,
    ...paragraphs,
    instructions.trim() === ''
      ? ''
      : `Instructions from the application:\n\n${instructions.trim()}`,
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function describeMode(mode: PermissionMode): string {
  switch (mode) {
    case 'direct':
      return 'Reading is allowed; changing files and running commands needs approval.';
    case 'acceptEdits':
      return 'Reading and changing files is allowed; running commands needs approval.';
    case 'dontAsk':
      return 'Nobody can be asked: what is not approved in advance is denied. Do not try a denied call again.';
    case 'plan':
      return 'Read only. Explore and propose a plan; do not try to change anything.';
    default:
      return assertNever(mode);
  }
}
