import { describe, expect, it } from '@jest/globals';
import { parseChatLine, type ChatLine } from './chat-command.js';

describe('parseChatLine', () => {
  it.each<[string, ChatLine]>([
    ['Hello there', { type: 'message', text: 'Hello there' }],
    ['  padded  ', { type: 'message', text: 'padded' }],
    ['//etc/hosts is what?', { type: 'message', text: '/etc/hosts is what?' }],
    ['', { type: 'nothing' }],
    ['   ', { type: 'nothing' }],
    ['/help', { type: 'help' }],
    ['/new', { type: 'new' }],
    ['/quit', { type: 'quit' }],
    ['/exit', { type: 'quit' }],
    ['/sessions', { type: 'sessions', sessionId: undefined }],
    ['/sessions  sess_1 more', { type: 'sessions', sessionId: 'sess_1' }],
    ['/model', { type: 'model', name: undefined }],
    ['/model claude-x', { type: 'model', name: 'claude-x' }],
    ['/fly now', { type: 'unknown', command: '/fly' }],
  ])('reads %j', (line, read) => {
    expect(parseChatLine(line)).toEqual(read);
  });
});
