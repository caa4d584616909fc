import * as z from 'zod/mini';
import type { StoredNotice } from '../../governance/notices/trigger.js';
import { sessionChange } from '../../governance/notices/triggers/conversation.js';
import { compact } from '../../platform/compact.js';
import { parseValue } from '../../platform/parsing/parse-value.js';
import type { AnnouncedChanges, RequestPrefix } from '../../storage/shapes/sent-request.js';
import {
  permissionModes,
  type PermissionMode,
  type ToolSpec,
} from '../../storage/shapes/stored-options.js';
import type { PastNotice } from '../state/past-turn.js';
import type { PartState, PromptPart } from '../state/prompt-part.js';

/**
 * What notices announced together, each thing as it was said last. The model believes that, and the prefix about the
 * rest. Pure.
 *
 * @param notices those that the next request contains, in order.
 */
export function announcedBy(
  notices: readonly Pick<PastNotice, 'announced'>[],
  parts: readonly PromptPart[],
): AnnouncedChanges {
  let all: AnnouncedChanges = {};
  for (const { announced } of notices) {
    const said = parseValue(announcementShape, announced).value?.said;
    if (said !== undefined) all = joinAnnounced(all, said, parts);
  }
  return all;
}

/** What a notice announced, as past turns have it. */
export function announcementOf({ kind, seenByModel, metadata }: StoredNotice): unknown {
  return kind === sessionChange.id && seenByModel ? metadata : null;
}

function joinAnnounced(
  before: AnnouncedChanges,
  said: Said,
  parts: readonly PromptPart[],
): AnnouncedChanges {
  const { mode, off } = said;
  const all = { ...before, ...compact({ mode, off }) };
  for (const part of parts) {
    const isAbout = part.fields.some((field) => field in said || field in before);
    if (isAbout) Object.assign(all, part.join(before, part.parse(said)));
  }
  return all;
}

const mode = z.enum(permissionModes);

/** The metadata of an import may say anything: a notice without this shape announced nothing. */
const announcementShape = z.object({
  said: z.looseObject({
    mode: z.exactOptional(mode),
    off: z.exactOptional(z.array(z.string())),
  }),
});

type Said = z.infer<typeof announcementShape>['said'];

/** What a turn has, as far as the model is told of it. */
export interface TurnState {
  mode: PermissionMode;
  tools: readonly ToolSpec[];
  parts: readonly PartState[];
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
  { mode, tools, parts }: TurnState,
): Announcement {
  const ofParts = parts.map(({ part, state }) => part.tell(prefix, before, { state, tools }));
  const wanted = new Set(tools.map(({ name }) => name));
  const known = new Set(prefix.tools.map(({ name }) => name));
  for (const { added = [], removed = [] } of ofParts) {
    for (const name of added) known.add(name);
    for (const name of removed) wanted.add(name);
  }
  const off = [...known].filter((name) => !wanted.has(name));
  const wasOff = new Set(before.off?.filter((name) => known.has(name)));
  const isOffKnown = off.length === wasOff.size && off.every((name) => wasOff.has(name));
  const isModeKnown = mode === (before.mode ?? prefix.mode);
  const lines = [
    ...(isModeKnown ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(isOffKnown ? [] : [describeOff(off)]),
    ...ofParts.flatMap((one) => one.lines),
  ];
  const text = lines.join(' ').trim();
  const said = { ...(isModeKnown ? {} : { mode }), ...(isOffKnown ? {} : { off }) };
  return {
    text: text === '' ? undefined : text,
    said: Object.assign(said, ...ofParts.map((one) => one.said)) as AnnouncedChanges,
    told: Object.assign({ mode, off }, ...ofParts.map((one) => one.told)) as RequestPrefix['told'],
  };
}

function describeOff(off: readonly string[]): string {
  if (off.length === 0) return 'Every tool is on from here on.';
  return `These tools are off from here on, and calls to them are not run: ${off.join(', ')}.`;
}
