import { describe, expect, it } from '@jest/globals';
import { chooseBusyPolicy, type ActiveTurn } from './busy-policy.js';
import type { WhenBusy } from './turn-submission.js';

const running: ActiveTurn = {
  isStopping: false,
  isAsking: false,
  isRead: true,
  endsWithReaders: false,
  saysSo: false,
};
const left = { isRead: false };
const asking = { isAsking: true, isRead: false };

describe('chooseBusyPolicy', () => {
  it.each<[WhenBusy, Partial<ActiveTurn>, boolean, string]>([
    ['after-stopped', {}, true, 'reject'],
    ['after-stopped', { isStopping: true }, true, 'enqueue'],
    ['after-stopped', left, true, 'reject'],
    ['after-stopped', { ...left, endsWithReaders: true }, true, 'interrupt'],
    ['after-stopped', { ...asking, endsWithReaders: true }, true, 'reject'],
    ['after', {}, true, 'enqueue'],
    ['after', { isStopping: true }, true, 'enqueue'],
    ['after', left, true, 'interrupt'],
    ['after', { ...left, saysSo: true }, true, 'enqueue'],
    ['after', { ...left, saysSo: true, endsWithReaders: true }, true, 'interrupt'],
    ['after', asking, true, 'enqueue'],
    ['beside', left, true, 'interrupt'],
    ['beside', asking, true, 'steer'],
    ['beside', asking, false, 'enqueue'],
    ['beside', { ...asking, isStopping: true }, true, 'enqueue'],
  ])('of %s, with %j, is as expected (joins: %s): %s', (whenBusy, active, mayJoin, expected) => {
    expect(chooseBusyPolicy({ ...running, ...active }, whenBusy, mayJoin)).toBe(expected);
  });
});
