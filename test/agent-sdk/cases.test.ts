import { describe, expect, it } from '@jest/globals';
import { groups } from './cases/groups.js';
import { toldDifferences } from './differences.js';
import { toldEverywhere } from './told-everywhere.js';
import { expectedOutcomes } from './expected-outcomes.js';

/** How many differences are told, of cases and of all of them. They may only become fewer. */
const MOST_DIFFERENCES = 86;
const MOST_EVERYWHERE = 5;

describe('the cases that both SDKs run', () => {
  it('are in fourteen groups, and more than a hundred and twenty', () => {
    expect(new Set(groups.map(({ name }) => name)).size).toBe(14);
    expect(groups.flatMap(({ cases }) => cases).length).toBeGreaterThan(120);
  });

  it.each(groups)('$name: each has a name of its own, and what the real SDK gave', (group) => {
    const names = group.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(expectedOutcomes(group.name))).toEqual(names);
  });

  it.each(groups)('$name: what is recorded has all that is compared, and no fault', (group) => {
    const expected = expectedOutcomes(group.name);
    for (const { name, also = [] } of group.cases) {
      const outcome = expected[name] ?? {};
      expect({ name, has: Object.keys(outcome) }).toEqual({
        name,
        has: expect.arrayContaining([...group.aspects, ...also]),
      });
      expect(outcome).not.toHaveProperty('faults');
    }
  });
});

describe('the differences that are told', () => {
  it(`are at most ${MOST_DIFFERENCES}`, () => {
    expect(toldDifferences.length).toBeLessThanOrEqual(MOST_DIFFERENCES);
    expect(toldEverywhere.length).toBeLessThanOrEqual(MOST_EVERYWHERE);
  });

  it.each(toldDifferences)('$group: $name is a case, and its aspects are compared', (told) => {
    const outcome = expectedOutcomes(told.group)[told.name];
    expect(outcome).toBeDefined();
    const compared = [...Object.keys(outcome ?? {}), 'notes', 'failed'];
    expect(compared).toEqual(expect.arrayContaining([...told.aspects]));
    expect(told.why).toMatch(/^[A-Z].*\.$/);
  });

  it('name each case once', () => {
    const names = toldDifferences.map(({ group, name }) => `${group}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
