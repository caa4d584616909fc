import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { nearestName } from '../../platform/parsing/nearest-name.js';
import { isServerToolName } from '../../provider/model-types.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { SourceTools, ToolSource } from '../state/tool-source.js';

/** Names that a notice has: the list is the client's own. */
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
  // What the registry has beside the names that the turn lists.
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
