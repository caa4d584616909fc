import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { nearestName } from '../../platform/parsing/nearest-name.js';
import { isServerToolName } from '../../provider/model-types.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { describeShells, type Shells } from '../../tools/shells.js';

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

/** Tools that a notice names: the list is the client's own. */
const MOST = 10;

/**
 * The notice of names in `opts.tools` that no tool has; none where each has one. Tools of the client, and those that the
 * provider runs, are of other sources. Pure.
 */
export function unknownTools(
  names: readonly string[],
  {
    options,
    known,
  }: {
    options: Pick<ResolvedOptions, 'clientTools'>;
    known: readonly { name: string }[];
  },
): NoticePosted[] {
  const ofClient = (options.clientTools ?? []).map(({ name }) => name);
  const unknown = names.filter((name) => !isServerToolName(name) && !ofClient.includes(name));
  if (unknown.length === 0) return [];
  const there = known.map(({ name }) => name);
  const shown = unknown.slice(0, MOST).map((name) => {
    const near = nearestName(name, there);
    return near === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} (${near}?)`;
  });
  const more = unknown.length > MOST ? ` and ${unknown.length - MOST} more` : '';
  return [
    clientNotice(
      'message',
      'tools-unknown',
      `opts.tools names no tool of this server with ${shown.join(', ')}${more}: the turn goes without.`,
      { tools: unknown.slice(0, MOST) },
    ),
  ];
}
