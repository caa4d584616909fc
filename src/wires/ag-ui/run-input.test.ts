import { describe, expect, it } from '@jest/globals';
import { readRunInput } from './run-input.js';

const user = (content: unknown, id = 'u1') => ({ id, role: 'user', content });
const assistant = { id: 'a1', role: 'assistant', content: 'Hello' };

function read(more: object) {
  return readRunInput({ threadId: 't', runId: 'r', messages: [], ...more });
}

describe('readRunInput', () => {
  it('takes what the user said after the assistant’s last message', async () => {
    const messages = [user('old'), assistant, user('One'), user('', 'u2'), user('two', 'u3')];
    expect((await read({ messages })).newMessage).toEqual({ text: 'One\n\ntwo', files: [] });
    expect((await read({ messages: [user('old'), assistant] })).newMessage).toBeUndefined();
    expect((await read({ messages: [user(' ')] })).newMessage).toBeUndefined();
  });

  it('keeps the application’s context apart from the user’s words', async () => {
    const context = ['3', '4'].map((value) => ({ description: 'Page', value }));
    const input = await read({ messages: [user('Hi')], context });
    expect(input.newMessage?.text).toBe('Hi');
    expect(input.instructions).toBe('## Page\n\n3\n\n## Page\n\n4');
    expect((await read({ messages: [user('Hi')] })).instructions).toBeUndefined();
  });

  it('takes files that came with it, under their cleaned names', async () => {
    const source = { type: 'data', value: Buffer.from('abc').toString('base64'), mimeType: 'a/b' };
    const metadata = { filename: '../x/notes.txt' };
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'document', source, metadata },
    ];
    expect((await read({ messages: [user(content)] })).newMessage).toEqual({
      text: 'Look',
      clientId: 'u1',
      files: [{ name: 'notes.txt', bytes: Buffer.from('abc') }],
    });
  });

  it('takes files as clients of the protocol before 1.0 send them', async () => {
    const data = Buffer.from('abc').toString('base64');
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'binary', mimeType: 'image/png', data, filename: 'a.png' },
      { type: 'binary', mimeType: 'text/plain', data, id: null },
    ];
    const { files } = (await read({ messages: [user(content)] })).newMessage ?? {};
    expect(files).toMatchObject([{ name: 'a.png', bytes: Buffer.from('abc') }, {}]);
    const linked = [{ type: 'binary', mimeType: 'image/png', url: 'https://example.com/a.png' }];
    await expect(read({ messages: [user(linked)] })).rejects.toThrow('is of the type url');
    const empty = [{ type: 'binary', mimeType: 'image/png' }];
    await expect(read({ messages: [user(empty)] })).rejects.toThrow('content[0].source');
  });

  it('has the client’s tools among the options, and its options', async () => {
    const tools = [{ name: 'pick', description: 'Picks' }];
    const forwardedProps = { other: 1, turnpike: { opts: { maxTurns: 2 }, projectRoot: '/a' } };
    expect(await read({ tools, forwardedProps })).toMatchObject({
      opts: {
        maxTurns: 2,
        clientTools: [
          { name: 'pick', description: 'Picks', inputSchema: { type: 'object', properties: {} } },
        ],
      },
      projectRoot: '/a',
    });
    expect((await read({ tools: null, context: null, forwardedProps: null })).opts).toEqual({});
  });

  it('takes no more answers than a step can ask for', async () => {
    const resume = Array.from({ length: 1_001 }, () => ({ interruptId: 'i', status: 'cancelled' }));
    await expect(read({ resume })).rejects.toThrow('The request has 1001 answers; the limit');
  });

  it('reads answers, of people and of the client’s tools', async () => {
    const resume = [
      { interruptId: 'i1', status: 'cancelled' },
      { interruptId: 'i2', status: 'resolved', payload: { accepted: true, editedArgs: { a: 1 } } },
      { interruptId: 'i3', status: 'resolved', payload: { approved: false, reason: 'No' } },
    ];
    const tool = (content: unknown, more = {}) => ({
      id: 't1',
      role: 'tool',
      toolCallId: 'c1',
      content,
      ...more,
    });
    const messages = [tool('before'), assistant, tool([{ type: 'text', text: 'red' }])];
    const { answers } = await read({ resume, messages });
    expect(answers.decisions).toMatchObject([
      { approvalId: 'i1', mayBeLate: true, given: { decision: 'deny' } },
      { approvalId: 'i2', given: { decision: 'approve', input: { a: 1 } } },
      { approvalId: 'i3', given: { decision: 'deny', message: 'No' } },
    ]);
    expect(answers.outputs).toMatchObject([
      { callId: 'c1', given: { decision: 'answer', output: 'red', isError: false } },
    ]);
    const failed = await read({ messages: [tool('half', { error: 'Broke' })] });
    expect(failed.answers.outputs).toMatchObject([
      { given: { output: 'Broke\n\nhalf', isError: true } },
    ]);
  });

  it.each<[object, string]>([
    [{ threadId: 1 }, "'threadId'"],
    [{ runId: 'x'.repeat(201) }, 'limit is 200'],
    [{ messages: [user(1)] }, "content': expected string, received number or expected array"],
    [{ messages: [user('a'), assistant, user([{}])] }, 'messages[2].content[0].type'],
    [{ messages: [user([{ type: 'video' }])] }, 'messages[0].content[0].source'],
    [{ messages: [user([{ type: 'sound' }])] }, "content[0].type': expected 'text'"],
    [{ context: [{}] }, 'context[0]'],
    [{ forwardedProps: { turnpike: [] } }, 'forwardedProps.turnpike'],
    [{ forwardedProps: { turnpike: { keepsFiles: 1 } } }, 'forwardedProps.turnpike.keepsFiles'],
    [{ forwardedProps: { turnpike: { opts: 1 } } }, 'turnpike.opts'],
    [{ resume: [{ interruptId: 'i', status: 'maybe' }] }, 'resume[0].status'],
    [{ resume: [{ interruptId: 'i', status: 'resolved', payload: {} }] }, 'payload.approved'],
  ])('refuses %j', async (more, message) => {
    await expect(read(more)).rejects.toThrow(message);
  });
});
