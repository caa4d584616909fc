import { describe, expect, it } from '@jest/globals';
import { historyDigests, pageItems, splitInput, type KnownItem } from './input-items.js';
import { readItem } from './input-item.js';

const known = (items: readonly object[]): KnownItem[] =>
  items.flatMap((item, index) => {
    const read = readItem(item, `input[${index}]`);
    return read.kind === 'reference' ? [] : [read];
  });
const user = (content: unknown) => ({ role: 'user', content });
const reply = (content: string) => ({ role: 'assistant', content });
const call = (callId: string) => ({ type: 'function_call', call_id: callId, name: 'f' });
const output = (callId: string, text = `of ${callId}`) => ({
  type: 'function_call_output',
  call_id: callId,
  output: text,
});
const thought = { type: 'reasoning', summary: [] };

/** Turns in short: `said > text f:callId=output, …`, a reply each. */
const inShort = (items: readonly object[]) => {
  const { earlier, content } = splitInput(known(items));
  const turns = earlier.map(({ content: sent, replies }) => [
    sent.map((one) => (typeof one === 'string' ? one : `<${one.name}>`)).join(' '),
    ...replies.map(({ texts, calls }) =>
      [...texts, ...calls.map((one) => `${one.callId}=${one.output ?? '?'}`)].join(' '),
    ),
  ]);
  return [...turns, content.map((one) => (typeof one === 'string' ? one : `<${one.name}>`))];
};

describe('a conversation that a client tells of', () => {
  it.each<[string, object[], string[][]]>([
    ['one message', [user('a')], [['a']]],
    ['messages and replies', [user('a'), reply('b'), user('c')], [['a', 'b'], ['c']]],
    ['a reply first', [reply('b'), user('c')], [['', 'b'], ['c']]],
    ['two messages in a row', [user('a'), user('c')], [['a'], ['c']]],
    [
      'calls of one reply',
      [user('q'), call('1'), call('2'), output('1'), output('2'), reply('b'), user('c')],
      [['q', '1=of 1 2=of 2', 'b'], ['c']],
    ],
    [
      'calls one after the other',
      [user('q'), call('1'), output('1'), thought, call('2'), output('2'), user('c')],
      [['q', '1=of 1', '2=of 2'], ['c']],
    ],
    [
      'outputs in another order, and one of them twice',
      [user('q'), call('1'), call('2'), output('2'), output('1'), output('1', 'x'), user('c')],
      [['q', '1=x 2=of 2'], ['c']],
    ],
    [
      'outputs before their calls',
      [user('q'), output('1'), call('1'), reply('b'), user('c')],
      [['q', '1=of 1', 'b'], ['c']],
    ],
    [
      'ids that come twice',
      [user('q'), call('1'), output('1', 'x'), reply('b'), call('1'), output('1', 'y'), user('c')],
      [['q', '1=x', 'b 1=y'], ['c']],
    ],
    ['a run that was cut off', [user('q'), call('1'), user('c')], [['q', '1=?'], ['c']]],
    ['a run that goes on', [user('q'), call('1'), output('1')], [['q', '1=of 1'], []]],
  ])('is turns: %s', (_name, items, turns) => {
    expect(inShort(items)).toEqual(turns);
  });

  it('keeps files where they stood', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
    const both = user([
      { type: 'input_text', text: 'a' },
      image,
      { type: 'input_text', text: 'b' },
    ]);
    expect(inShort([both, reply('x'), user('c')])).toEqual([['a <image-1-2> b', 'x'], ['c']]);
  });

  it.each<[object[], string]>([
    [[user('')], 'input'],
    [[user('a'), reply('b')], 'input'],
    [[user('a'), call('1')], 'input'],
    [[output('9'), user('a')], 'input[0].call_id'],
    [[{ role: 'developer', content: 'x' }], 'input'],
  ])('is refused where it says nothing new, or answers nothing: %j', (items, param) => {
    expect(() => splitInput(known(items))).toThrow(
      expect.objectContaining({ type: 'INVALID_REQUEST', details: { param } }),
    );
  });
});

describe('the places of a conversation', () => {
  const digests = (...items: object[]) => historyDigests(known(items)).map(({ digest }) => digest);

  it('stay as they are while it grows, however its client splits the replies', () => {
    const [first] = digests(user('a'));
    const before = digests(user('a'), reply('b c'), user('d'));
    const grown = digests(
      user('a'),
      thought,
      reply('b'),
      reply(' c'),
      user('d'),
      reply('e'),
      user('f'),
    );
    expect(before[0]).toBe(first);
    expect(grown.slice(0, 2)).toEqual(before);
    expect(new Set(grown).size).toBe(3);
  });

  it.each<[object[]]>([
    [[user('x'), reply('b'), user('d')]],
    [[user('a'), reply('x'), user('d')]],
    [[user('a'), user('d')]],
    [[user('a'), reply('b'), call('1'), output('1'), user('d')]],
  ])('are others where anything was said otherwise: %j', (items) => {
    const [, last] = digests(user('a'), reply('b'), user('d'));
    expect(digests(...items).at(-1)).not.toBe(last);
  });
});

describe('pageItems', () => {
  const items = ['a', 'b', 'c'].map((id) => ({ id, type: 'message' }));
  const page = (after: string | undefined, limit: number, order: 'asc' | 'desc') => {
    const { data, has_more } = pageItems(items, { after, limit, order });
    return [data.map(({ id }) => id), has_more];
  };

  it.each<[string | undefined, number, 'asc' | 'desc', string, boolean]>([
    [undefined, 20, 'desc', 'cba', false],
    [undefined, 2, 'asc', 'ab', true],
    ['b', 2, 'asc', 'c', false],
    ['c', 1, 'desc', 'b', true],
    ['a', 1, 'desc', '', false],
  ])('after %s, at most %i, %s: %s', (after, limit, order, ids, hasMore) => {
    expect(page(after, limit, order)).toEqual([Array.from(ids), hasMore]);
  });

  it('names the ends of a page, and refuses an item of another list', () => {
    expect(pageItems(items, { after: undefined, limit: 2, order: 'asc' })).toMatchObject({
      first_id: 'a',
      last_id: 'b',
    });
    expect(() => page('x', 2, 'asc')).toThrow("'after' must be the id of an item");
  });
});
