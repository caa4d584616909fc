import { expect, it } from '@jest/globals';
import { recordKinds, storedKinds } from './record-kinds.js';

it('each kind of records has a type that imports are checked by', () => {
  expect(storedKinds).toEqual(expect.arrayContaining([...recordKinds.keys()]));
});
