import { describe, expect, it } from '@jest/globals';
import { someFacts } from '../../../../test/support/turn/some-facts.js';
import { errorStreak, noProgressNudge } from './limits.js';

describe('no-progress-nudge', () => {
  it('names what is repeated', () => {
    const nearNoProgress = { action: 'read({"file_path":"a"})' };
    expect(noProgressNudge.check(someFacts({ nearNoProgress, step: 3 }))).toMatchObject([
      {
        mark: 'no-progress-nudge:3',
        text: expect.stringContaining('read({"file_path":"a"})'),
        metadata: { repeated_action: 'read({"file_path":"a"})' },
        seenByModel: true,
      },
    ]);
  });

  it('says nothing where there is progress, and counts again when it ends', () => {
    expect(noProgressNudge.check(someFacts())).toEqual([]);
    const nearNoProgress = { action: 'read({})' };
    const marks = [2, 7].flatMap((step) =>
      noProgressNudge.check(someFacts({ nearNoProgress, step })).map(({ mark }) => mark),
    );
    expect(new Set(marks).size).toBe(2);
  });
});

describe('error-streak', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
    [7, 1],
  ])('after %i errors in a row: %i notices', (toolErrors, times) => {
    expect(errorStreak.check(someFacts({ toolErrors }))).toHaveLength(times);
  });

  it('says that no other call runs once there are as many as end the turn', () => {
    const text = (toolErrors: number) => errorStreak.check(someFacts({ toolErrors }))[0]?.text;
    expect(text(2)).toContain('If the next one fails too');
    expect(text(3)).toContain('No other is run in this turn: answer with what you have.');
  });

  it('has the last error, where there is one', () => {
    const facts = someFacts({ toolErrors: 2, lastError: 'no such file', step: 4 });
    expect(errorStreak.check(facts)).toMatchObject([
      {
        mark: 'error-streak:4',
        metadata: { error_count: 2, last_error: 'no such file' },
        seenByModel: true,
      },
    ]);
    const [unnamed] = errorStreak.check(someFacts({ toolErrors: 2 }));
    expect(unnamed?.metadata).toEqual({ error_count: 2 });
  });
});
