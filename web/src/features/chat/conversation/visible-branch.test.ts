import { describe, expect, it } from '@jest/globals';
import { branchFrom, visibleBranch } from './visible-branch.js';

const turn = (turnId: string, supersededBy?: string) =>
  supersededBy === undefined ? { turnId } : { turnId, supersededBy };

/**
 * One, then Two and Three. Two2 took the place of Two; then One2 took that of One, after which came
 * Four; Four2 took the place of Four.
 */
const turns = [
  turn('One', 'One2'),
  turn('Two', 'Two2'),
  turn('Three', 'Two2'),
  turn('Two2', 'One2'),
  turn('One2'),
  turn('Four', 'Four2'),
  turn('Four2'),
];

const shown = (chosen: Record<string, string> = {}) =>
  visibleBranch(turns, new Map(Object.entries(chosen))).map((placed) => [
    placed.turn.turnId,
    placed.versions.map(({ turnId }) => turnId),
  ]);

describe('visibleBranch', () => {
  it('shows the conversation, with the versions of each point', () => {
    expect(shown()).toEqual([
      ['One2', ['One', 'One2']],
      ['Four2', ['Four', 'Four2']],
    ]);
  });

  it('shows an earlier version with what followed it, whose points have versions of their own', () => {
    expect(shown({ One: 'One' })).toEqual([
      ['One', ['One', 'One2']],
      ['Two2', ['Two', 'Two2']],
    ]);
    expect(shown({ One: 'One', Two: 'Two' })).toEqual([
      ['One', ['One', 'One2']],
      ['Two', ['Two', 'Two2']],
      ['Three', ['Three']],
    ]);
  });

  it('keeps what is before a point where another version is chosen', () => {
    expect(shown({ Four: 'Four' })).toEqual([
      ['One2', ['One', 'One2']],
      ['Four', ['Four', 'Four2']],
    ]);
  });

  it('passes by what was chosen at a point that is not shown, or is not there', () => {
    expect(shown({ Two: 'Two', Nothing: 'None', Four: 'None' })).toEqual(shown());
  });

  it('shows three versions of one point', () => {
    const three = [turn('a', 'b'), turn('b', 'c'), turn('c')];
    const [placed] = visibleBranch(three, new Map([['a', 'b']]));
    expect(placed?.turn.turnId).toBe('b');
    expect(placed?.versions.map(({ turnId }) => turnId)).toEqual(['a', 'b', 'c']);
  });
});

describe('branchFrom', () => {
  it.each([
    ['One', ['One', 'Two2']],
    ['Two', ['Two', 'Three']],
    ['One2', ['One2', 'Four2']],
  ])('from %s is %j', (first, line) => {
    const from = turns.find(({ turnId }) => turnId === first) ?? turn('none');
    expect(branchFrom(turns, from).map(({ turnId }) => turnId)).toEqual(line);
  });
});
