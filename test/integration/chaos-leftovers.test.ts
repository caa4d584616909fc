import { describe, expect, it } from '@jest/globals';
import { checkLeftovers } from '../../chaos/check/check-leftovers.mjs';
import { checkMarks } from '../../chaos/check/check-marks.mjs';
import { followsDirectly, parseFrameId } from '../../chaos/check/parse-frame-id.mjs';

describe('the checker of commands', () => {
  it.each([
    ['success', 1, []],
    ['success', 2, ['ran-twice']],
    ['success', 0, ['ran-not']],
    ['unknown', 0, []],
    ['unknown', 1, []],
    ['unknown', 2, ['ran-twice']],
    ['error', 1, []],
    ['denied', 0, []],
    ['denied', 1, ['ran-denied']],
  ])('%s, written %i times', (status, count, kinds) => {
    const command = 'sleep 1; echo t1-1 >> ran.txt';
    const turns = [{ turnId: 'turn_1', calls: [{ callId: 'c1', name: 'bash', status, command }] }];
    const found = checkMarks(turns, new Map([['t1-1', count]]));
    expect(found.map((violation) => violation.kind)).toEqual(kinds);
  });
});

describe('the checker of what is left', () => {
  const nothing = {
    turns: [],
    keys: [
      { key: '{p}:turns:meta', ttlMs: -1 },
      { key: 'p:{turn_1}:log', ttlMs: 5_000 },
    ],
    connections: { postgres: 4, redis: 10 },
    connectionsAtIdle: { postgres: 4, redis: 10 },
    processes: [],
  };

  it.each([
    ['nothing', {}, []],
    [
      'a turn that runs',
      { turns: [{ id: 't', status: 'running', isLeased: true }] },
      ['active-left'],
    ],
    ['a lease', { turns: [{ id: 't', status: 'failed', isLeased: true }] }, ['leaked-lease']],
    ['a key that lives for ever', { keys: [{ key: 'p:{turn_1}:log', ttlMs: -1 }] }, ['leaked-key']],
    ['a job', { keys: [{ key: '{p}:turns:turn_1', ttlMs: -1 }] }, ['leaked-job']],
    ['a connection', { connections: { postgres: 4, redis: 11 } }, ['leaked-connection']],
    ['a process', { processes: ['12 sleep'] }, ['leaked-process']],
  ])('%s', (_name, more, kinds) => {
    const found = checkLeftovers({ ...nothing, ...more }, 'p');
    expect(found.map((violation) => violation.kind)).toEqual(kinds);
  });
});

describe('places', () => {
  it('are read from ids of their turn only', () => {
    expect(parseFrameId('t', 't:2.10.3')).toEqual({ attempt: 2, seq: 10, part: 3 });
    expect(parseFrameId('t', 't:2.10')).toEqual({ attempt: 2, seq: 10, part: 0 });
    expect(parseFrameId('t', 'u:2.10')).toBeUndefined();
    expect(parseFrameId('t', 't:2')).toBeUndefined();
  });

  it.each([
    ['1.2', '1.3', true],
    ['1.2', '1.4', false],
    ['1.2', '1.3.1', true],
    ['1.2', '1.3.2', false],
    ['1.3.1', '1.3.2', true],
    ['1.3.2', '1.4', true],
    ['1.7', '2.1', true],
    ['1.7', '2.2', false],
    ['0.1', '1.1', true],
    ['1.7', '4.1', true],
  ])('%s then %s: %s', (before, next, expected) => {
    const [a, b] = [before, next].map((place) => parseFrameId('t', `t:${place}`));
    if (b === undefined) throw new Error('a bad case');
    expect(followsDirectly(a, b)).toBe(expected);
  });
});
