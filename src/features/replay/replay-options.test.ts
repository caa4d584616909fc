import { describe, expect, it } from '@jest/globals';
import { replayOptions } from './replay-service.js';

const resolved = { model: 'claude-then', persona: 'EDITOR', mode: 'acceptEdits' } as const;
const standard = { priority: 'background', onDisconnect: 'continue' };

describe('replayOptions', () => {
  it('keeps what the request asked for, and what came of the rest then', () => {
    const opts = { maxTurns: 3, model: 'claude' };
    const expected = { maxTurns: 3, ...resolved, ...standard };
    expect(replayOptions({ opts, resolved }, {})).toEqual(expected);
  });

  it.each([undefined, null, 'text', []])('takes a request whose options were %j', (opts) => {
    expect(replayOptions({ opts, resolved }, {})).toEqual({ ...resolved, ...standard });
  });

  it('leaves out where the turn stood', () => {
    const opts = { replaces: 'turn_1', onBusy: 'steer' };
    expect(replayOptions({ opts, resolved }, { opts: { onBusy: 'enqueue' } })).toEqual({
      ...resolved,
      ...standard,
    });
  });

  it('puts changes over all of it, the named model and agent last', () => {
    const opts = { priority: 'normal', thinking: true };
    const changes = {
      model: 'claude-other',
      agent: 'REVIEWER',
      opts: { thinking: false, mode: 'plan', priority: 'normal', persona: 'NOBODY' },
    };
    expect(replayOptions({ opts, resolved }, changes)).toEqual({
      model: 'claude-other',
      persona: 'REVIEWER',
      mode: 'plan',
      thinking: false,
      priority: 'normal',
      onDisconnect: 'continue',
    });
  });
});
