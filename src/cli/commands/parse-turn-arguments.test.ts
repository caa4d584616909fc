import { describe, expect, it } from '@jest/globals';
import { parseTurnArguments } from './turn-command.js';
import { UsageError } from '../arguments.js';

describe('parseTurnArguments', () => {
  const parse = (...args: string[]) =>
    parseTurnArguments(args, { folder: '/home/me', isPiped: false });

  it('takes a message alone', () => {
    expect(parse('Hello')).toEqual({
      message: 'Hello',
      attachments: [],
      sessionId: undefined,
      persona: undefined,
      opts: {},
      outputFile: undefined,
      json: false,
      url: undefined,
      start: false,
    });
  });

  it('reads standard input for want of a message, where it is no terminal', () => {
    const piped = (...args: string[]) =>
      parseTurnArguments(args, { folder: '/home/me', isPiped: true }).message;
    expect(piped()).toBe('-');
    expect(piped('--attach', 'a.txt')).toBe('-');
    expect(piped('Hello')).toBe('Hello');
    expect(() => parse()).toThrow(UsageError);
  });

  it('takes the server, and whether one may be started', () => {
    const { url, start } = parse('Hello', '--url', 'http://h:1', '--start');
    expect([url, start]).toEqual(['http://h:1', true]);
  });

  it('joins words that were not quoted', () => {
    expect(parse('Hello', 'there').message).toBe('Hello there');
  });

  it('takes files from the folder it was called in', () => {
    expect(parse('x', '--attach', 'a.txt', '--attach', '/b.txt').attachments).toEqual([
      '/home/me/a.txt',
      '/b.txt',
    ]);
  });

  it('makes options of its flags', () => {
    const given = parse(
      'x',
      '--mode',
      'plan',
      '--model',
      'm',
      '--tools',
      'a,b',
      '--persona',
      'P',
      '--session',
      's',
      '--json',
    );
    expect(given).toMatchObject({
      opts: { mode: 'plan', model: 'm', tools: ['a', 'b'], persona: 'P' },
      sessionId: 's',
      json: true,
    });
    expect(parse('x', '--tools', '').opts).toEqual({ tools: [] });
  });

  it('needs something to say, in words or files', () => {
    expect(() => parse()).toThrow(UsageError);
    expect(() => parse(' ')).toThrow(UsageError);
    expect(parse('--attach', 'a').message).toBe('');
  });

  it.each([['--nope'], ['--attach'], ['--json=1']])('refuses %s', (flag) => {
    expect(() => parse('x', flag)).toThrow(UsageError);
  });
});
