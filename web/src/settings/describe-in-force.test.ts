import { describe, expect, it } from '@jest/globals';
import type { EffectiveSetting } from '../../../src/client/turnpike-client.js';
import { describeInForce } from './describe-in-force.js';
import { limitLooks } from './setting-looks.js';

type InForce = EffectiveSetting['effective']['harness'];

const wires = (others: InForce, oracle: InForce) => ({
  effective: {
    harness: others,
    'named-agents': others,
    'ag-ui': others,
    'ai-sdk': others,
    responses: others,
    oracle,
  },
});

function words(name: string, others: InForce, oracle: InForce): string {
  const look = limitLooks[name];
  if (look === undefined) throw new Error(`There is no look of ${name}`);
  return describeInForce(wires(others, oracle), look);
}

describe('describeInForce', () => {
  it('names the wires where they differ, and what no value means', () => {
    const none: InForce = { value: null, from: 'default' };
    const some: InForce = { value: 50_000, from: 'default' };
    expect(words('token_budget', none, some)).toBe(
      'In force: no limit for the harness, named agents, AG-UI, AI SDK and Responses; 50,000 tokens for the oracle.',
    );
  });

  it('says a value that holds everywhere once', () => {
    const user: InForce = { value: 21, from: 'user' };
    expect(words('max_iterations', user, user)).toBe('In force everywhere: 21.');
    const root: InForce = { value: 7, from: 'instructions' };
    expect(words('max_iterations', root, root)).toBe('In force everywhere: 7 (AGENTS.md).');
  });

  it('says so where this console asks for one or the other itself', () => {
    const off: InForce = { value: false, from: 'default' };
    const look = { label: 'Thinking', step: 1, unit: '', none: '', isConsoleOwn: true };
    expect(describeInForce(wires(off, off), look)).toBe(
      'In force everywhere: off. Turns of this console use its own switch.',
    );
  });
});
