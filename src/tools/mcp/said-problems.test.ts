import { expect, it } from '@jest/globals';
import { SaidProblems } from './said-problems.js';

it('says a problem of a server once a session, and again when it is back', () => {
  const said = new SaidProblems();
  const slow = { server: 'box', reason: 'it is slow' };
  const gone = { server: 'web', reason: 'it is gone' };
  expect(said.fresh('a', [slow])).toEqual([slow]);
  expect(said.fresh('a', [slow])).toEqual([]);
  expect(said.fresh('a', [slow, gone])).toEqual([gone]);
  expect(said.fresh('b', [slow])).toEqual([slow]);
  expect(said.fresh('a', [gone])).toEqual([]);
  expect(said.fresh('a', [slow, gone])).toEqual([slow]);
  expect(said.fresh('a', [])).toEqual([]);
  expect(said.fresh('a', [gone])).toEqual([gone]);
});
