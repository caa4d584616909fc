import { describe, expect, it } from '@jest/globals';
import { idAt } from './owners.js';

describe('idAt', () => {
  const params = Object.assign(Object.create(null) as object, { id: 'sess_1' });

  it.each([
    ['params.id', 'sess_1'],
    ['body.sessionId', 'sess_2'],
    ['query.context', undefined],
    ['query.none', undefined],
  ] as const)('finds %s: %j', (field, expected) => {
    const request = { params, body: { sessionId: ' sess_2 ' }, query: { context: ['a', 'b'] } };
    expect(idAt(request, field)).toBe(expected);
  });

  it.each([undefined, null, 'text', 7])('finds nothing in a body that is %j', (body) => {
    expect(idAt({ body }, 'body.sessionId')).toBeUndefined();
  });
});
