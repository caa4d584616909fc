import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../request.pipe.js';
import { OptionalText, OptionalTexts, RequiredText } from './field-rules.decorator.js';

class Body {
  @RequiredText('An id.')
  id!: string;

  @OptionalText('A name.')
  name?: string;

  @OptionalTexts('Some paths.')
  paths?: string[];
}

/** The parsed body, or the error's message. */
function read(body: object): Promise<unknown> {
  return takeRequest(Body, body).catch((error: Error) => error.message);
}

describe('the rules of a field', () => {
  it.each([
    [{ id: ' a ' }, { id: 'a' }],
    [
      { id: 'a', name: ' b ', paths: [] },
      { id: 'a', name: 'b', paths: [] },
    ],
    [{ id: 'a', name: '  ' }, { id: 'a' }],
    [
      { id: 'a', name: null },
      { id: 'a', name: null },
    ],
    [
      { id: 'a', paths: [' /x ', ''] },
      { id: 'a', paths: [' /x ', ''] },
    ],
  ])('take %j as %j', async (body, taken) => {
    expect(await read(body)).toEqual(taken);
  });

  it.each([undefined, null, '', ' \t', 0, false, [], ['a'], {}, 'a\u0000b'])(
    'refuse %j where a text is required',
    async (id) => {
      expect(await read({ id })).toBe("Missing or invalid 'id'");
    },
  );

  it.each([0, 1, false, true, [], {}, 'a\u0000b'])(
    'refuse %j where a text is optional',
    async (name) => {
      expect(await read({ id: 'a', name })).toBe("Missing or invalid 'name'");
    },
  );

  it.each([0, false, '', 'a', {}, [1], ['a', null], [['a']]])(
    'refuse %j for a list of texts',
    async (paths) => {
      expect(await read({ id: 'a', paths })).toBe("Field 'paths' must be an array of strings");
    },
  );
});
