import { isPlainObject } from '../../platform/json.js';
import { refuse } from '../http/wire-error.js';
import { blocksOf, type CacheMark, type MessagesRequest } from '../request-types.js';

const mostMarks = 4;

interface Mark {
  path: string;
  ttl: '5m' | '1h';
}

/** @throws a 400 for too many marks, or marks out of order */
export function validateCacheMarks(body: MessagesRequest): void {
  const marks = marksOf(body);
  const top = ttlOf(body.cache_control, 'cache_control');
  const last = lastCacheable(body);
  const lastMark = marks.find(({ path }) => path === last);
  if (top !== undefined && lastMark === undefined) marks.push({ path: 'cache_control', ttl: top });
  if (top !== undefined && lastMark !== undefined && lastMark.ttl !== top) {
    const other = `${last} has cache_control with another ttl (${lastMark.ttl})`;
    throw refuse('cache-order', `cache_control: ${other} than the request (${top})`);
  }
  if (marks.length > mostMarks) {
    throw refuse(
      'cache-count',
      `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${marks.length}.`,
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

/** The marks in the order of the prompt: tools, system, messages, with blocks inside of results. */
function marksOf(body: MessagesRequest): Mark[] {
  const { tools = [], system, messages } = body;
  const marks: Mark[] = [];
  const add = (holder: { cache_control?: CacheMark | null }, path: string): void => {
    const ttl = ttlOf(holder.cache_control, `${path}.cache_control`);
    if (ttl !== undefined) marks.push({ path, ttl });
  };
  tools.forEach((tool, index) => add(tool, `tools.${index}`));
  if (Array.isArray(system)) system.forEach((block, index) => add(block, `system.${index}`));
  messages.forEach((message, index) =>
    blocksOf(message).forEach((block, at) => {
      const path = `messages.${index}.content.${at}`;
      if (block.type === 'thinking' || block.type === 'redacted_thinking') return;
      if (block.type === 'tool_result' && Array.isArray(block.content)) {
        block.content.forEach((item, inner) => {
          if (item.type === 'thinking' || item.type === 'redacted_thinking') return;
          add(item, `${path}.content.${inner}`);
        });
      }
      add(block, path);
    }),
  );
  return marks;
}

function lastCacheable(body: MessagesRequest): string {
  const index = body.messages.length - 1;
  const message = body.messages[index];
  const blocks = message ? blocksOf(message) : [];
  const at = blocks.findLastIndex(
    ({ type }) => type !== 'thinking' && type !== 'redacted_thinking',
  );
  return `messages.${index}.content.${at}`;
}

function ttlOf(mark: unknown, path: string): '5m' | '1h' | undefined {
  if (mark === undefined || mark === null) return undefined;
  if (!isPlainObject(mark) || mark['type'] !== 'ephemeral') {
    throw refuse('request-shape', `${path}.type: Input should be 'ephemeral'`);
  }
  const { ttl = '5m' } = mark;
  if (ttl === '5m' || ttl === '1h') return ttl;
  throw refuse('request-shape', `${path}.ttl: Input should be '5m' or '1h'`);
}
