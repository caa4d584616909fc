import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the AI SDK wire refuses', () => {
  const server = useServer();

  const open = (): HeadlessChat =>
    new HeadlessChat({
      url: server.url,
      id: randomUUID(),
      body: { projectRoot: server.projectRoot },
    });
  const post = (body: unknown) => server.client.post('/api/chat', body);

  /** @returns the id of the approval that the turn asks for. */
  async function ask(chat: HeadlessChat): Promise<string> {
    await chat.sendMessage({ text: '[[tool=write {"file_path":"a.txt","content":"x"}]]' });
    return String(chat.partsOf('data-approval')[0]?.['id']);
  }

  it('an agent that there is not, without a word of the server’s folders', async () => {
    const message = { role: 'user', id: 'm', parts: [{ type: 'text', text: 'Hello' }] };
    const sent = { id: randomUUID(), messages: [message], agent: 'NOBODY' };
    const { status, body } = await post(sent);
    expect([status, body['error']]).toMatchObject([404, { type: 'PERSONA_NOT_FOUND' }]);
    expect(body['error']).toHaveProperty('details', { agent: 'NOBODY' });
  });

  it('a message beside an answer that runs, and says how to go on', async () => {
    const chat = open();
    await ask(chat);
    const message = { role: 'user', id: 'm3', parts: [{ type: 'text', text: 'Hello' }] };
    const opts = { onBusy: 'reject' };
    const { status, body } = await post({ id: chat.id, messages: [message], opts });
    expect([status, body['error']]).toMatchObject([
      409,
      { type: 'TURN_IN_PROGRESS', message: expect.stringContaining('/stop') },
    ]);
  });

  const user = (parts: unknown) => ({ id: 'c1', messages: [{ role: 'user', id: 'm', parts }] });
  const text = [{ type: 'text', text: 'Hello' }];
  const answered = (part: object) => ({
    id: 'c1',
    messages: [{ role: 'assistant', id: 'a', parts: [part] }],
  });
  it.each<[string, unknown, number, string]>([
    ['no object', [], 400, 'JSON object'],
    ['no id', { messages: [] }, 400, "'id'"],
    ['an endless id', { ...user(text), id: 'x'.repeat(300) }, 400, '1 to 256'],
    ['no messages', { id: 'c1' }, 400, "'messages' is missing"],
    ['no message', { id: 'c1', messages: [] }, 400, 'nothing new'],
    ['a message that is none', { id: 'c1', messages: ['hi'] }, 400, "'messages[0]'"],
    ['no parts', { id: 'c1', messages: [{ role: 'user', content: 'x' }] }, 400, 'version 6'],
    ['nothing said', user([]), 400, 'has neither text nor a file'],
    ['text that is none', user([{ type: 'text', text: 1 }]), 400, "'messages[0].parts[0].text'"],
    ['another trigger', { ...user(text), trigger: 'go' }, 400, 'regenerate-message'],
    ['options that are none', { ...user(text), opts: 'x' }, 400, "'opts'"],
    ['an agent that is none', { ...user(text), agent: 7 }, 400, "'agent'"],
    ['an agent that there is not', { ...user(text), agent: 'NOBODY' }, 404, 'NOBODY'],
    [
      'a file from elsewhere',
      user([{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }]),
      400,
      'does not fetch',
    ],
    [
      'a file that is no base64',
      user([{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,*' }]),
      400,
      'cannot be read',
    ],
    ['no answer', answered({ type: 'text', text: 'Hello' }), 400, 'nothing new'],
    [
      'half an answer',
      answered({ type: 'dynamic-tool', state: 'approval-responded', approval: { id: 'a' } }),
      400,
      "'approved'",
    ],
  ])('%s', async (_what, body, status, words) => {
    const refused = await post(body);
    expect([refused.status, refused.body['error']]).toEqual([
      status,
      expect.objectContaining({ message: expect.stringContaining(words) }),
    ]);
  });

  it('answers to what was not asked', async () => {
    const part = {
      type: 'dynamic-tool',
      state: 'approval-responded',
      approval: { id: `appr_${randomUUID()}`, approved: true },
    };
    const unknown = await post({ ...answered(part), id: randomUUID() });
    expect([unknown.status, unknown.body['error']]).toMatchObject([
      404,
      { type: 'SESSION_NOT_FOUND' },
    ]);
    const chat = open();
    await chat.sendMessage({ text: '[[tokens=1]]' });
    const other = open();
    const id = await ask(other);
    const foreign = { ...part, approval: { id, approved: true } };
    const odd = { ...part, approval: { id: 'a\0', approved: true } };
    const call = { type: 'tool-x', state: 'output-available', toolCallId: 'a\0', output: 1 };
    for (const given of [part, foreign, odd, call]) {
      const refused = await post({ ...answered(given), id: chat.id });
      expect([refused.status, refused.body['error']]).toMatchObject([
        404,
        { type: 'APPROVAL_NOT_FOUND' },
      ]);
    }
    expect(other.partsOf('dynamic-tool')).toMatchObject([{ state: 'approval-requested' }]);
  });
});
