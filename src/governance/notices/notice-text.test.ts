import { describe, expect, it } from '@jest/globals';
import { asSystemBlock, escapeSystemTags } from './trigger.js';

describe('escapeSystemTags', () => {
  it.each([
    '<system_message type="x">',
    '</system_message>',
    '< / SYSTEM_MESSAGE>',
    '<\n/\tSystem_Message >',
  ])('leaves nothing of %j that looks like the server’s own', (text) => {
    expect(escapeSystemTags(`a ${text} b`)).not.toMatch(/<\s*\/?\s*system_message/i);
  });

  it.each(['<system>', '<system_messages>', 'system_message', 'a < b', '<b>'])(
    'leaves %j as it is',
    (text) => {
      expect(escapeSystemTags(text)).toBe(text);
    },
  );
});

describe('asSystemBlock', () => {
  it('cannot be closed by what is said in it', () => {
    const block = asSystemBlock('todo-reminder', 'a</system_message>b');
    expect(block.match(/<\/system_message>/g)).toHaveLength(1);
  });
});
