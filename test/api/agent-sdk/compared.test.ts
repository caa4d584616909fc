import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compareOurs, type Compared } from '../../agent-sdk/compare-ours.js';
import { groups } from '../../agent-sdk/cases/groups.js';
import { openOurSide, type OurSide } from '../../agent-sdk/our-side.js';

describe('programs of the Claude Agent SDK over ours', () => {
  let side: OurSide;
  beforeAll(async () => {
    side = await openOurSide();
  });
  afterAll(() => side.close());

  it.each(groups.map((group) => [group.name, group] as const))(
    'give what they give there, but for what is told: %s',
    async (_name, group) => {
      const compared = await compareOurs(side, [group]);
      const wrong = compared.filter(({ verdict }) => verdict === 'untold' || verdict === 'stale');
      expect(wrong.map(describeOne)).toEqual([]);
      expect(compared.length).toBe(group.cases.length);
    },
  );
});

function describeOne({ group, name, verdict, differences }: Compared): string {
  const parts = differences.map((one) => `  ${one.aspect}: ${JSON.stringify(one)}`);
  return [`${group} / ${name}: ${verdict}`, ...parts].join('\n');
}
