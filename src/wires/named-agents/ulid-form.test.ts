import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isId, newTimeId } from '../../platform/ids.js';
import { fromUlid, toUlid, ulidPattern } from './ulid-form.js';

const ids = fc.uuid({ version: [1, 4, 7] }).map((uuid) => `sess_${uuid}`);
const ulids = fc
  .stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .filter((text) => ulidPattern.test(text));

describe('the ULID of an id', () => {
  it('gives the id back', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const ulid = toUlid(id);
        expect(ulid).toMatch(ulidPattern);
        expect(fromUlid('sess', ulid)).toBe(id);
      }),
    );
  });

  it('is given back by the id', () => {
    fc.assert(
      fc.property(ulids, (ulid) => {
        const id = fromUlid('turn', ulid) ?? '';
        expect(isId('turn', id)).toBe(true);
        expect(toUlid(id)).toBe(ulid);
      }),
    );
  });

  it('has the time of the id, and sorts as it', () => {
    const id = newTimeId('turn', Date.parse('2026-01-01T00:00:00.000Z'));
    // Ten digits encode 48 bits of milliseconds.
    expect(toUlid(id).slice(0, 10)).toBe('01KDVDNA00');
    expect(toUlid(newTimeId('turn', 1)) < toUlid(newTimeId('turn', 2))).toBe(true);
  });

  it.each([
    ['sess_00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
    ['sess_ffffffff-ffff-ffff-ffff-ffffffffffff', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
  ])('of %s is %s', (id, ulid) => {
    expect(toUlid(id)).toBe(ulid);
    expect(fromUlid('sess', ulid)).toBe(id);
  });
});

describe('fromUlid', () => {
  it.each([
    '',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAVX',
    '01arz3ndektsv4rrffq69g5fav',
    '01ARZ3NDEKTSV4RRFFQ69G5FAI',
    '01ARZ3NDEKTSV4RRFFQ69G5FAL',
    '01ARZ3NDEKTSV4RRFFQ69G5FAO',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\n',
    '80000000000000000000000000',
    'ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
  ])('is nothing for %j', (text) => {
    expect(fromUlid('sess', text)).toBeUndefined();
  });
});
