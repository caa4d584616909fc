import { describe, expect, it } from '@jest/globals';
import { agentTitle } from './agent-title.js';

const reviewer = { name: 'reviewer', title: 'Reviewer' };
const untitled = { name: 'helper', title: null };

describe('agentTitle', () => {
  it.each([
    ['reviewer', [reviewer, untitled], 'Reviewer'],
    ['helper', [reviewer, untitled], 'helper'],
    ['gone', [reviewer], 'gone'],
    ['WORKING_ITEMS', [], 'WORKING_ITEMS'],
  ])('of %s is the title, or the name', (name, agents, expected) => {
    expect(agentTitle(name, agents, 'WORKING_ITEMS')).toBe(expected);
  });

  it('is that of the only agent where the default is not there', () => {
    expect(agentTitle('WORKING_ITEMS', [reviewer], 'WORKING_ITEMS')).toBe('Reviewer');
    expect(agentTitle('WORKING_ITEMS', [untitled], 'WORKING_ITEMS')).toBe('helper');
    expect(agentTitle('WORKING_ITEMS', [reviewer], undefined)).toBe('WORKING_ITEMS');
    expect(agentTitle('WORKING_ITEMS', [reviewer, untitled], 'WORKING_ITEMS')).toBe(
      'WORKING_ITEMS',
    );
  });
});
