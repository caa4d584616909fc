import { describe, expect, it } from '@jest/globals';
import { conversationMarkdown, replyMarkdown } from './conversation-markdown.js';
import { emptyTurn, type TurnView } from './turn-view.js';

const view: TurnView = {
  ...emptyTurn('turn_1', 'ended'),
  items: [
    { kind: 'thinking', key: 'a', step: 1, text: 'Hm', isOpen: false },
    { kind: 'text', key: 'b', step: 1, text: 'First **bold**.\n', isOpen: false },
    { kind: 'tool', key: 'c', step: 1, name: 'read', json: '', status: 'success' },
    { kind: 'text', key: 'd', step: 2, text: 'Then.', isOpen: false },
  ],
};
const user = { text: 'Hello', files: [], createdAt: '2026-01-01T00:00:00.000Z' };

describe('Markdown of a conversation', () => {
  it('is the text of a reply', () => {
    expect(replyMarkdown(view)).toBe('First **bold**.\n\nThen.');
    const output = { step: 2, value: { a: 1 }, isFinal: true };
    expect(replyMarkdown({ ...view, output })).toBe('```json\n{\n  "a": 1\n}\n```');
  });

  it('has messages, replies and calls, and nothing that was replaced', () => {
    const file = { id: 'file_1_0', name: 'a.pdf', mimeType: 'application/pdf', size: 1 };
    const turns = [
      { turnId: 'turn_0', user, view, supersededBy: 'turn_1' },
      { turnId: 'turn_1', user: { ...user, files: [file] }, view },
    ];
    expect(conversationMarkdown('Greeting', turns)).toBe(
      '# Greeting\n\n## You\n\nHello\n\n(file: a.pdf)\n\n## Reply\n\nFirst **bold**.\n\n' +
        '*Tool call: read (success)*\n\nThen.\n',
    );
  });
});
