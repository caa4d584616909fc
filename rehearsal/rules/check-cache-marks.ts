import { refuse } from '../http/wire-error.js';
import { blocksOf, ttlOf, type MessagesRequest, type RequestBlock } from '../request-types.js';

const MAX_MARKS = 4;

interface Mark {
  path: string;
  ttl: '5m' | '1h';
}

/** @throws a 400 for too many marks, or marks out of order */
export function checkCacheMarks(body: MessagesRequest): void {
  const marks = marksOf(body);
  const top = ttlOf(body.cache_control);
  const last = lastCacheable(body);
  const lastMark = marks.find(({ path }) => path === last);
  if (top !== undefined && lastMark === undefined) marks.push({ path: 'cache_control', ttl: top });
  if (top !== undefined && lastMark !== undefined && lastMark.ttl !== top) {
    const other = `${last} has cache_control with another ttl (${lastMark.ttl})`;
    throw refuse('cache-order', `cache_control: ${other} than the request (${top})`);
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

/** The marks in the order of the prompt: tools, system, messages, with blocks inside of results. */
function marksOf({ tools = [], system, messages }: MessagesRequest): Mark[] {
  const marks: Mark[] = [];
  tools.forEach(({ cache_control: mark }, index) => {
    if (mark) marks.push({ path: `tools.${index}`, ttl: mark.ttl ?? '5m' });
  });
  const add = (blocks: readonly RequestBlock[], path: string): void => {
    for (let at = 0; at < blocks.length; at += 1) {
      const block = blocks[at];
      if (block === undefined) continue;
      const { cache_control: mark } = block;
      if (block.type === 'tool_result' && Array.isArray(block.content)) {
        add(block.content, `${path}.${at}.content`);
      }
      if (mark) marks.push({ path: `${path}.${at}`, ttl: mark.ttl ?? '5m' });
    }
  };
  if (Array.isArray(system)) add(system, 'system');
  messages.forEach(({ content }, index) => {
    if (typeof content !== 'string') add(content, `messages.${index}.content`);
  });
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
