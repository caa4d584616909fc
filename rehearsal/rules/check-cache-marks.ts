import { refuse } from '../http/wire-error.js';
import {
  blocksOf,
  isThinkingBlock,
  pathOf,
  ttlOf,
  type Cached,
  type MessagesRequest,
  type PlacedBlock,
} from '../request-types.js';

const MAX_MARKS = 4;

interface Mark {
  path: string;
  ttl: '5m' | '1h';
}

/** @throws a 400 for too many marks, or marks out of order */
export function checkCacheMarks(body: MessagesRequest, blocks: readonly PlacedBlock[]): void {
  const marks = marksOf(body, blocks);
  const top = ttlOf(body.cache_control);
  if (top !== undefined) {
    const last = lastCacheable(body);
    const lastMark = marks.find(({ path }) => path === last);
    if (lastMark === undefined) marks.push({ path: 'cache_control', ttl: top });
    else if (lastMark.ttl !== top) {
      const other = `${last} has cache_control with another ttl (${lastMark.ttl})`;
      throw refuse('cache-order', `cache_control: ${other} than the request (${top})`);
    }
  }
  if (marks.length > MAX_MARKS) {
    throw refuse(
      'cache-count',
      `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  const short = marks.findIndex(({ ttl }) => ttl === '5m');
  const late = marks.find(({ ttl }, index) => ttl === '1h' && short >= 0 && index > short);
  if (late === undefined) return;
  throw refuse(
    'cache-order',
    `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
      'cache_control block. Note that blocks are processed in the following order: `tools`, ' +
      '`system`, `messages`.',
  );
}

/** The marks in the order of the prompt: tools, system, messages. */
function marksOf({ tools = [], system }: MessagesRequest, blocks: readonly PlacedBlock[]): Mark[] {
  const marks: Mark[] = [];
  const add = ({ cache_control }: Cached, path: () => string): void => {
    const ttl = ttlOf(cache_control);
    if (ttl !== undefined) marks.push({ path: path(), ttl });
  };
  tools.forEach((tool, index) => add(tool, () => `tools.${index}`));
  if (Array.isArray(system)) system.forEach((block, index) => add(block, () => `system.${index}`));
  for (const placed of blocks) add(placed.block, () => pathOf(placed));
  return marks;
}

/** The path of the block that a mark at the top of a request is for. */
function lastCacheable({ messages }: MessagesRequest): string {
  const last = messages.slice(-1).flatMap(blocksOf);
  const at = last.findLastIndex((block) => !isThinkingBlock(block));
  return `messages.${messages.length - 1}.content.${at}`;
}
