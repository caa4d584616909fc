import * as z from 'zod/mini';
import type { StoredNotice } from '../../governance/notices/trigger.js';
import { sessionChange } from '../../governance/notices/triggers/conversation.js';
import { isSameJson } from '../../platform/json.js';
import { parseValue } from '../../platform/parsing/parse-value.js';
import type {
  AnnouncedChanges,
  AnnouncedServer,
  AnnouncedSkill,
  RequestPrefix,
} from '../../storage/shapes/sent-request.js';
import {
  permissionModes,
  type PermissionMode,
  type ToolSpec,
} from '../../storage/shapes/stored-options.js';
import type { PastNotice } from '../state/past-turn.js';
import {
  announceMcp,
  isUnchanged,
  noChanges,
  type ListedMcp,
  type McpChanges,
} from './mcp-changes.js';

/**
 * What notices announced together, each thing as it was said last. The model believes that, and the prefix about the
 * rest. Pure.
 *
 * @param notices those that the next request contains, in order.
 */
export function announcedBy(notices: readonly Pick<PastNotice, 'announced'>[]): AnnouncedChanges {
  return notices.map(({ announced }) => parseAnnounced(announced)).reduce(joinAnnounced, {});
}

/** What a notice announced, as past turns have it. */
export function announcementOf({ kind, seenByModel, metadata }: StoredNotice): unknown {
  return kind === sessionChange.id && seenByModel ? metadata : null;
}

function joinAnnounced(before: AnnouncedChanges, after: AnnouncedChanges): AnnouncedChanges {
  const { skills = [], goneSkills = [], mcp = noChanges } = after;
  const aboutSkills = new Set([...goneSkills, ...skills.map(({ name }) => name)]);
  const aboutTools = new Set([...mcp.fresh, ...mcp.gone]);
  const others = (all: readonly string[] = [], said: ReadonlySet<string>): string[] =>
    all.filter((name) => !said.has(name));
  return {
    ...before,
    ...after,
    skills: byName(before.skills, skills).filter(({ name }) => !goneSkills.includes(name)),
    goneSkills: [...others(before.goneSkills, aboutSkills), ...goneSkills],
    servers: byName(before.servers, after.servers),
    mcp: {
      fresh: [...others(before.mcp?.fresh, aboutTools), ...mcp.fresh],
      changed: byName(before.mcp?.changed, mcp.changed),
      gone: [...others(before.mcp?.gone, aboutTools), ...mcp.gone],
    },
  };
}

/** Items of both lists; of two with one name, the later. */
function byName<T extends { name: string }>(
  before: readonly T[] = [],
  after: readonly T[] = [],
): T[] {
  const all = new Map([...before, ...after].map((one) => [one.name, one]));
  return [...all.values()];
}

const names = z.array(z.string());
const described = { name: z.string(), description: z.string(), digest: z.string() };
const changesShape = {
  skills: z.exactOptional(
    z.array(z.object({ ...described, allowedTools: z.exactOptional(names) })),
  ),
  servers: z.exactOptional(z.array(z.object({ name: z.string(), instructions: z.string() }))),
  mcp: z.exactOptional(
    z.object({
      fresh: names,
      changed: z.array(z.object({ name: z.string(), digest: z.string() })),
      gone: names,
    }),
  ),
};
const mode = z.enum(permissionModes);

const announcementShape = z.object({
  said: z.object({
    ...changesShape,
    mode: z.exactOptional(mode),
    off: z.exactOptional(names),
    goneSkills: z.exactOptional(names),
  }),
});

/** What a notice announced. The metadata of an import may say anything: a notice without a shape announced nothing. */
function parseAnnounced(metadata: unknown): AnnouncedChanges {
  return parseValue(announcementShape, metadata).value?.said ?? {};
}

/** What a turn has, as far as the model is told of it. */
export interface TurnState {
  mode: PermissionMode;
  tools: readonly ToolSpec[];
  skills: readonly AnnouncedSkill[];
  servers: readonly AnnouncedServer[];
  mcp: ListedMcp;
  /** Changes of MCP tools since the prefix was made. */
  changes: McpChanges;
}

export interface Announcement {
  /** The notice; undefined: the model knows everything. */
  text: string | undefined;
  /** What the notice says. */
  said: AnnouncedChanges;
  /** What the model knows with it. */
  told: RequestPrefix['told'];
}

/**
 * Announces what a turn has where the model believes something else, because the prefix or the last notice about it
 * says so. Pure.
 *
 * @param prefix the prefix of the turn's requests.
 * @param before what notices in these requests say.
 */
export function announce(
  prefix: RequestPrefix,
  before: AnnouncedChanges,
  { mode, tools, skills, servers, mcp, changes }: TurnState,
): Announcement {
  const ofMcp = announceMcp(before.mcp ?? noChanges, { prefix, tools, mcp, changes });
  const wanted = new Set([...tools.map(({ name }) => name), ...ofMcp.told.gone]);
  const known = new Set([...prefix.tools.map(({ name }) => name), ...ofMcp.named]);
  const off = [...known].filter((name) => !wanted.has(name));
  const wasOff = new Set(before.off?.filter((name) => known.has(name)));
  const isOffKnown = off.length === wasOff.size && off.every((name) => wasOff.has(name));
  const isModeKnown = mode === (before.mode ?? prefix.mode);
  const goneSkills = new Set(before.goneSkills);
  const knownSkills = byName(prefix.skills, before.skills).filter(
    ({ name }) => !goneSkills.has(name),
  );
  const ofSkills = announceSkills(knownSkills, skills);
  // The tools of a server that is gone are off. What it said counts once it is back.
  const knownServers = byName(prefix.servers, before.servers);
  const saidBy = new Map(knownServers.map((server) => [server.name, server]));
  const freshServers = servers.filter((server) => !isSameJson(saidBy.get(server.name), server));
  const lines = [
    ...(isModeKnown ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(isOffKnown ? [] : [describeOff(off)]),
    ...ofSkills.lines,
    ...ofMcp.lines,
    ...(freshServers.length === 0 ? [] : [`From here on:\n${describeServers(freshServers)}`]),
  ];
  const text = lines.join(' ').trim();
  return {
    text: text === '' ? undefined : text,
    said: {
      ...(isModeKnown ? {} : { mode }),
      ...(isOffKnown ? {} : { off }),
      ...ofSkills.said,
      ...serversOf(freshServers),
      ...(ofMcp.said === undefined ? {} : { mcp: ofMcp.said }),
    },
    told: {
      mode,
      off,
      ...skillsOf(skills),
      ...serversOf(byName(knownServers, freshServers)),
      ...(isUnchanged(ofMcp.told) ? {} : { mcp: ofMcp.told }),
    },
  };
}

/** The field is absent where there are no skills, as in what was stored before there were any. */
export function skillsOf(skills: readonly AnnouncedSkill[]): {
  skills?: readonly AnnouncedSkill[];
} {
  return skills.length === 0 ? {} : { skills };
}

export function serversOf(servers: readonly AnnouncedServer[]): {
  servers?: readonly AnnouncedServer[];
} {
  return servers.length === 0 ? {} : { servers };
}

/** What MCP servers say, for the model. */
export function describeServers(servers: readonly AnnouncedServer[]): string {
  return servers
    .map(({ name, instructions }) => `The MCP server ${name} says of its tools:\n${instructions}`)
    .join('\n\n');
}

function announceSkills(
  known: readonly AnnouncedSkill[],
  now: readonly AnnouncedSkill[],
): { lines: string[]; said: Pick<AnnouncedChanges, 'skills' | 'goneSkills'> } {
  const before = new Map(known.map((skill) => [skill.name, skill]));
  const isListed = ({ name, description }: AnnouncedSkill): boolean =>
    before.get(name)?.description === description;
  const fresh = now.filter((skill) => !isListed(skill));
  const edited = now.filter(
    (skill) => isListed(skill) && before.get(skill.name)?.digest !== skill.digest,
  );
  const there = new Set(now.map(({ name }) => name));
  const gone = known.filter(({ name }) => !there.has(name));
  const lines = [
    ...(fresh.length === 0
      ? []
      : [`From here on there are these skills too:\n${listSkills(fresh)}\n`]),
    ...(edited.length === 0
      ? []
      : [`These skills have changed; load them again before you follow them: ${namesOf(edited)}.`]),
    ...(gone.length === 0 ? [] : [`These skills are gone: ${namesOf(gone)}.`]),
  ];
  const goneSkills = gone.map(({ name }) => name);
  return {
    lines,
    said: {
      ...skillsOf([...fresh, ...edited]),
      ...(goneSkills.length === 0 ? {} : { goneSkills }),
    },
  };
}

/** Skills for the model, a line each. */
export function listSkills(skills: readonly AnnouncedSkill[]): string {
  return skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}

function namesOf(skills: readonly AnnouncedSkill[]): string {
  return skills.map(({ name }) => name).join(', ');
}

function describeOff(off: readonly string[]): string {
  if (off.length === 0) return 'Every tool is on from here on.';
  return `These tools are off from here on, and calls to them are not run: ${off.join(', ')}.`;
}
