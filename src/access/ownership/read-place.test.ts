import { describe, expect, it } from '@jest/globals';
import { readPlace } from './read-place.js';

describe('readPlace', () => {
  const params = Object.assign(Object.create(null) as object, { id: 'sess_1' });

  it.each([
    ['params.id', 'sess_1'],
    ['body.sessionId', 'sess_2'],
    ['query.context', undefined],
    ['query.none', undefined],
  ] as const)('finds %s: %j', (place, expected) => {
    const request = { params, body: { sessionId: ' sess_2 ' }, query: { context: ['a', 'b'] } };
    expect(readPlace(request, place)).toBe(expected);
  });

  it.each([undefined, null, 'text', 7])('finds nothing in a body that is %j', (body) => {
    expect(readPlace({ body }, 'body.sessionId')).toBeUndefined();
  });
});
