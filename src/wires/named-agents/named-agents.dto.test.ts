import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../../http/request.pipe.js';
import { ChatRequestDto, SessionParamsDto } from './named-agents.dto.js';

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const wide = '\u{1F600}';

describe('ChatRequestDto', () => {
  it('takes a message and a session, also in small letters', async () => {
    const taken = { message: 'Hello', session_id: 'sess_01563e3a-b5d3-d676-4c61-efb99302bd5b' };
    for (const session_id of [ulid, ulid.toLowerCase()]) {
      const body = { message: 'Hello', session_id, other: 1 };
      expect(await takeRequest(ChatRequestDto, body)).toEqual(taken);
    }
  });

  it.each([undefined, null, '', 7, 'mine', `${ulid}\n`, '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'])(
    'begins a new session for %j',
    async (session_id) => {
      expect(await takeRequest(ChatRequestDto, { message: ' ', session_id })).toEqual({
        message: ' ',
      });
    },
  );

  it('counts characters, not their halves, and takes the bounds', async () => {
    const message = wide.repeat(10_000);
    expect((await takeRequest(ChatRequestDto, { message })).message).toBe(message);
  });

  it.each<[string, object]>([
    ['none', {}],
    ['an empty one', { message: '' }],
    ['a number', { message: 7 }],
    ['null', { message: null }],
    ['a list', { message: ['x'.repeat(10_000)] }],
    ['one that is too long', { message: wide.repeat(10_001) }],
  ])('refuses a message that is %s', async (_what, fields) => {
    await expect(takeRequest(ChatRequestDto, fields)).rejects.toMatchObject({
      type: 'INVALID_REQUEST',
      status: 400,
      message: "'message' must be a text of 1 to 10,000 characters; send more of it as a file",
    });
  });
});

describe('the ids of paths', () => {
  it.each([ulid, 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'])('take %s', async (session_id) => {
    expect(await takeRequest(SessionParamsDto, { session_id })).toEqual({ session_id });
  });

  it.each(['', 'x', `${ulid}0`, `${ulid}\n`, ulid.toLowerCase(), 'x'.repeat(10_000)])(
    'refuse %j',
    async (session_id) => {
      await expect(takeRequest(SessionParamsDto, { session_id })).rejects.toMatchObject({
        status: 400,
        message:
          "'session_id' must be a ULID: 26 of the digits and capital letters without I, L, O and U",
      });
    },
  );
});
