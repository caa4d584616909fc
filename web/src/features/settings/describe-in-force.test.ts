import { describe, expect, it } from '@jest/globals';
import type { EffectiveSetting } from '#src/client/turnpike-client.js';
import { describeInForce, describeWires } from './describe-in-force.js';
import { limitLooks, modelLooks, type SettingLook } from './setting-looks.js';

type InForce = EffectiveSetting['effective']['harness'];

const wires = (others: InForce, oracle: InForce) => ({
  schema: { type: 'integer' as const, description: 'A limit.' },
  effective: {
    harness: others,
    'named-agents': others,
    'ag-ui': others,
    'ai-sdk': others,
    responses: others,
    oracle,
  },
});

function lookOf(name: string): SettingLook {
  const look = limitLooks[name] ?? modelLooks[name];
  if (look === undefined) throw new Error(`There is no look of ${name}`);
  return look;
}

describe('the value of a setting that is in force', () => {
  it.each<[string, InForce, string]>([
    ['max_iterations', { value: 21, from: 'user' }, 'Now: 21.'],
    ['max_iterations', { value: 12, from: 'default' }, 'Now: 12 (default).'],
    ['max_iterations', { value: 7, from: 'instructions' }, 'Now: 7 (set in AGENTS.md).'],
    ['timeout_seconds', { value: 600, from: 'environment' }, 'Now: 600 s (set by the server).'],
    ['token_budget', { value: null, from: 'default' }, 'Now: no limit (default).'],
    ['thinking_enabled', { value: false, from: 'default' }, 'Now: off (default).'],
  ])('of %s, %j, is said in words', (name, inForce, words) => {
    expect(describeInForce(wires(inForce, inForce), lookOf(name))).toBe(words);
  });

  it('names the bound of the page where it is beyond that', () => {
    const hour: InForce = { value: 3_600, from: 'default' };
    const { schema, ...limits } = wires(hour, hour);
    expect(
      describeInForce(
        { ...limits, schema: { ...schema, maximum: 600 } },
        lookOf('timeout_seconds'),
      ),
    ).toBe('Now: 3,600 s (default). You can set at most 600 s here.');
  });

  it('is that of the console, with the others beside it where they differ', () => {
    const none: InForce = { value: null, from: 'default' };
    const some: InForce = { value: 50_000, from: 'default' };
    const look = lookOf('token_budget');
    expect(describeInForce(wires(none, some), look)).toBe('Now: no limit (default).');
    expect(describeWires(wires(none, some), look)).toBe(
      'console, command line and native API, named agents, AG-UI, AI SDK and Responses API: no limit (default). oracle API: 50,000 tokens (default)',
    );
    expect(describeWires(wires(none, none), look)).toBeUndefined();
  });
});
