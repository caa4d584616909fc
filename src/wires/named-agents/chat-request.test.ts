import { describe, expect, it } from '@jest/globals';
import { checkNotBlank, checkUlid, parseChatRequest } from './chat-request.js';

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const wide = '\u{1F600}';

describe('parseChatRequest', () => {
  it('takes a message and a session', () => {
    expect(parseChatRequest({ message: 'Hello', session_id: ulid, other: 1 })).toEqual({
      message: 'Hello',
      sessionId: 'sess_01563e3a-b5d3-d676-4c61-efb99302bd5b',
    });
  });

  it('takes the id of a session in small letters', () => {
    const [one, other] = [ulid, ulid.toLowerCase()].map((session_id) =>
      parseChatRequest({ message: 'Hello', session_id }),
    );
    expect(one).toEqual(other);
  });

  it.each([undefined, null, '', 7, 'mine', `${ulid}\n`, '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'])(
    'begins a new session for %j',
    (session_id) => {
      expect(parseChatRequest({ message: ' ', session_id }).sessionId).toBeUndefined();
    },
  );

  it('counts characters, not their halves, and takes the bounds', () => {
    const message = wide.repeat(10_000);
    expect(parseChatRequest({ message }).message).toBe(message);
    expect(() => parseChatRequest({ message: message + wide })).toThrow(/has 10001 characters/);
  });

  it.each([
    [{}, "'message' is missing; it must be a text of 1 to 10,000 characters"],
    [{ message: '' }, "'message' has 0 characters; it must be a text of 1 to 10,000 characters"],
    [{ message: 7 }, "'message' is 7; it must be a text of 1 to 10,000 characters"],
    [{ message: null }, "'message' is null; it must be a text of 1 to 10,000 characters"],
  ])('refuses %j in words', (fields, message) => {
    expect(() => parseChatRequest(fields)).toThrow(
      expect.objectContaining({ type: 'INVALID_REQUEST', status: 400, message }),
    );
  });

  it('does not give a long value back', () => {
    const message = ['x'.repeat(10_000)];
    expect(() => parseChatRequest({ message })).toThrow(/^.{1,200}$/);
  });
});

describe('checkNotBlank', () => {
  it('lets a blank message stand beside files only', () => {
    checkNotBlank('a', 0);
    checkNotBlank(' ', 1);
    expect(() => checkNotBlank(' \n', 0)).toThrow(
      expect.objectContaining({
        type: 'INVALID_REQUEST',
        status: 400,
        message: "'message' is blank; it must have text where no files come with it",
      }),
    );
  });
});

describe('checkUlid', () => {
  it.each([ulid, 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'])('takes %s', (text) => {
    expect(checkUlid('session_id', text)).toBe(text);
  });

  it.each(['', 'x', `${ulid}0`, `${ulid}\n`, ulid.toLowerCase()])('refuses %j', (text) => {
    expect(() => checkUlid('session_id', text)).toThrow(
      `'session_id' is ${JSON.stringify(text)}; it must be a ULID: 26 of the digits and capital letters without I, L, O and U`,
    );
  });

  it('does not give a long value back', () => {
    expect(() => checkUlid('session_id', 'x'.repeat(10_000))).toThrow(/^.{1,200}$/);
  });
});
