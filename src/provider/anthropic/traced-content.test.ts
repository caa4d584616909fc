import { expect, it } from '@jest/globals';
import { describeMessages, describeReply } from './traced-content.js';

it('describes messages without the bytes of files and the blocks of the provider', () => {
  const described = describeMessages([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'Look.' },
        { type: 'image', mediaType: 'image/png', base64: 'planted' },
        { type: 'pdf', title: 'a.pdf', base64: 'planted' },
        { type: 'document', title: 'a.txt', text: 'planted' },
        { type: 'tool_result', callId: 'c1', output: 'found', isError: false },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', thinking: 'Hm.', signature: 'planted' },
        { type: 'redacted_thinking', data: 'planted' },
        { type: 'opaque', block: { type: 'planted' } },
        { type: 'tool_use', id: 'c1', name: 'read', input: { file_path: 'a' } },
      ],
    },
    { role: 'system', text: 'A note.' },
  ]);
  expect(described).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'Look.' },
        { type: 'file', modality: 'image', mime_type: 'image/png' },
        { type: 'file', modality: 'document', mime_type: 'application/pdf', name: 'a.pdf' },
        { type: 'file', modality: 'document', mime_type: 'text/plain', name: 'a.txt' },
        { type: 'tool_call_response', id: 'c1', response: 'found' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'Hm.' },
        { type: 'tool_call', id: 'c1', name: 'read', arguments: { file_path: 'a' } },
      ],
    },
    { role: 'system', parts: [{ type: 'text', content: 'A note.' }] },
  ]);
  expect(JSON.stringify(described)).not.toContain('planted');
});

it('describes a reply with the reason of its end', () => {
  expect(describeReply([{ type: 'text', text: 'Yes.' }], 'end_turn')).toEqual({
    role: 'assistant',
    parts: [{ type: 'text', content: 'Yes.' }],
    finish_reason: 'end_turn',
  });
});
