import { isSameJson } from '../../platform/json.js';
import type { CacheBreak, RequestPrefix } from '../../storage/shapes/sent-request.js';

/**
 * The first part of a session's requests that a turn changes; undefined where its prefix is the one of the requests
 * before, or there were none. What is announced in a notice changes nothing. Pure.
 */
export function findBreak(
  before: RequestPrefix | null,
  { tools, serverTools = [], system, compaction }: RequestPrefix,
): CacheBreak | undefined {
  if (before === null) return undefined;
  const isSame =
    isSameJson(before.tools, tools) && isSameJson(before.serverTools ?? [], serverTools);
  // Tools come first in a request.
  if (!isSame) return 'tools';
  if (before.system !== system) return 'system';
  return before.compaction === compaction ? undefined : 'messages';
}
