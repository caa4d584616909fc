import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { markCache } from './mark-cache.js';

type Message = Anthropic.MessageParam | Anthropic.SystemMessageParam;

const say = (role: Message['role'], ...texts: string[]): Message => ({
  role,
  content: texts.map((text) => ({ type: 'text' as const, text })),
});

/** The texts of the blocks that are marked. */
const marked = (messages: readonly Message[]): string[] =>
  markCache(messages).flatMap(({ content }) =>
    (content as { text: string; cache_control?: unknown }[]).flatMap((block) =>
      block.cache_control === undefined ? [] : [block.text],
    ),
  );

describe('markCache', () => {
  it('marks the end, and where the calls before ended', () => {
    const messages = [
      say('user', 'a', 'b'),
      say('assistant', 'c'),
      say('user', 'd'),
      say('system', 'e'),
      say('assistant', 'f'),
      say('user', 'g', 'h'),
    ];
    expect(marked(messages)).toEqual(['b', 'e', 'h']);
  });

  it('marks no more than the API takes beside the system prompt', () => {
    const messages = Array.from({ length: 10 }, (_, index) => [
      say('user', `u${index}`),
      say('assistant', `a${index}`),
    ]).flat();
    expect(marked([...messages, say('user', 'end')])).toEqual(['u8', 'u9', 'end']);
  });

  it('leaves a reply that goes on unmarked', () => {
    expect(marked([say('user', 'a'), say('assistant', 'b')])).toEqual(['a']);
  });
});
