import { describe, expect, it } from '@jest/globals';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { findBreak } from './cache-break.js';

const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' as const } };
const prefix: RequestPrefix = {
  system: 'Be brief.',
  tools: [tool],
  mode: 'direct',
  told: { mode: 'direct', off: [] },
};

describe('what a turn changes of the requests before it', () => {
  it.each<[string, Partial<RequestPrefix>, string | undefined]>([
    ['nothing', {}, undefined],
    ['a mode that is announced', { told: { mode: 'plan', off: [] } }, undefined],
    ['a tool more', { tools: [tool, { ...tool, name: 'other' }] }, 'tools'],
    ['a tool of the provider', { serverTools: [{ name: 'web_search' }] }, 'tools'],
    ['tools before the prompt', { tools: [], system: 'Be long.' }, 'tools'],
    ['the prompt', { system: 'Be long.' }, 'system'],
    ['a summary', { compaction: 'c1' }, 'messages'],
  ])('%s', (_what, change, expected) => {
    expect(findBreak(prefix, { ...prefix, ...change })).toBe(expected);
  });

  it('is nothing where there was none', () => expect(findBreak(null, prefix)).toBeUndefined());
});
