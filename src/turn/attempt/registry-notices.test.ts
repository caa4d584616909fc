import { describe, expect, it } from '@jest/globals';
import { unknownTools } from './registry-notices.js';

const known = [{ name: 'read' }, { name: 'write' }];
const clientTools = [{ name: 'pick', description: 'Picks.', inputSchema: {} }];

describe('names of tools that there are none of', () => {
  it('are told in one notice, with the name that may be meant', () => {
    const [notice, ...others] = unknownTools(['reads', 'order_status'], { options: {}, known });
    expect(notice).toMatchObject({
      kind: 'tools-unknown',
      text: 'opts.tools names no tool of this server with "reads" (read?), "order_status": the turn goes without.',
      metadata: { tools: ['reads', 'order_status'] },
    });
    expect(others).toEqual([]);
  });

  it('are not those of the client, or those that the provider runs', () => {
    expect(unknownTools(['pick', 'web_search'], { options: { clientTools }, known })).toEqual([]);
  });

  it('are ten at most', () => {
    const names = Array.from({ length: 12 }, (_, index) => `other_${index}`);
    expect(unknownTools(names, { options: {}, known })[0]?.text).toContain(' and 2 more');
  });
});
