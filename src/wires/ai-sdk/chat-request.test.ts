import { describe, expect, it } from '@jest/globals';
import { readChatRequest, readVersion } from './chat-request.js';

const user = (id: string, ...texts: string[]) => ({
  id,
  role: 'user',
  parts: texts.map((text) => ({ type: 'text', text })),
});
const assistant = (...parts: object[]) => ({ id: 'a', role: 'assistant', parts });
const chat = (messages: object[], more: object = {}) =>
  readChatRequest({ id: 'c1', messages, ...more });
const inputOf = async (messages: object[], more: object = {}) => (await chat(messages, more)).input;

describe('readChatRequest', () => {
  it('has for the new message what users said after the last answer', async () => {
    const before = [user('1', 'Old'), assistant()];
    const input = await inputOf([...before, user('2', 'One', 'Two'), user('3', 'Three')]);
    expect(input).toMatchObject({
      type: 'message',
      message: { text: 'One\n\nTwo\n\nThree', files: [] },
    });
  });

  it('knows a repeated message by its id, and not one that is meant anew', async () => {
    const key = async (more: object = {}, id = '1') => {
      const input = await inputOf([user(id, 'Hello')], more);
      return input.type === 'message' ? input.key : undefined;
    };
    expect(await key()).toBe(await key());
    expect(await key()).not.toBe(await key({}, '2'));
    expect((await key())?.length).toBeLessThanOrEqual(255);
    expect((await key({}, 'x'.repeat(9_000)))?.length).toBeLessThanOrEqual(255);
    expect(await key({ trigger: 'regenerate-message' })).toBeUndefined();
    expect(await key({ messageId: '1' })).toBeUndefined();
    expect(await key({ messageId: 'another' })).toBe(await key());
  });

  it('reads files, and leaves an application its own parts', async () => {
    const url = 'data:text/plain,Kingfisher%21';
    const parts = [
      { type: 'file', mediaType: 'text/plain', url },
      { type: 'data-mine', data: 1 },
    ];
    const input = await inputOf([{ id: '1', role: 'user', parts }]);
    expect(input).toMatchObject({
      message: { text: '', files: [{ name: 'file', bytes: Buffer.from('Kingfisher!') }] },
    });
  });

  it.each(['', 'http://127.0.0.1:4400', 'https://a.example/turnpike'])(
    'knows the files of a history by their addresses below %j',
    async (base) => {
      const url = `${base}/api/harness/attachments/file_01a2_1`;
      const parts = [{ type: 'file', mediaType: 'image/png', url }];
      const input = await inputOf([{ id: '1', role: 'user', parts }]);
      expect(input).toMatchObject({ message: { text: '', files: [{ id: 'file_01a2_1' }] } });
    },
  );

  it('has answers of the last step only, and none of calls that the server ran', async () => {
    const approval = { id: 'appr_1', approved: false, reason: 'No' };
    const answered = { toolCallId: 'c2', state: 'output-available', output: { a: 1 } };
    const input = await inputOf([
      user('1', 'Hello'),
      assistant(
        { type: 'step-start' },
        { type: 'tool-pick', toolCallId: 'c0', state: 'output-available', output: 'old' },
        { type: 'step-start' },
        { type: 'text', text: 'Well' },
        { type: 'dynamic-tool', toolCallId: 'c1', state: 'approval-responded', approval },
        { type: 'tool-pick', ...answered },
        { type: 'tool-pick', toolCallId: 'c3', state: 'output-error', errorText: 'Broken' },
        { type: 'tool-pick', toolCallId: 'c4', state: 'input-available', input: {} },
        { type: 'dynamic-tool', ...answered, toolCallId: 'c5', providerExecuted: true },
      ),
    ]);
    expect(input).toEqual({
      type: 'answers',
      messageId: 'a',
      answers: {
        decisions: [{ approvalId: 'appr_1', given: { decision: 'deny', message: 'No' } }],
        outputs: [
          { callId: 'c2', given: { decision: 'answer', output: { a: 1 }, isError: false } },
          { callId: 'c3', given: { decision: 'answer', output: 'Broken', isError: true } },
        ],
      },
    });
  });

  it('takes no more answers than one request may give', async () => {
    const outputs = Array.from({ length: 1_001 }, (_none, index) => ({
      type: 'tool-pick',
      toolCallId: `c${index}`,
      state: 'output-available',
      output: 'red',
    }));
    expect(await inputOf([assistant(...outputs.slice(1))])).toMatchObject({ type: 'answers' });
    await expect(inputOf([assistant(...outputs)])).rejects.toThrow(
      'The request has 1001 answers; the limit',
    );
  });

  it('takes a user message for what is meant where both are there', async () => {
    const approval = { id: 'appr_1', approved: true };
    const answer = { type: 'dynamic-tool', toolCallId: 'c', state: 'approval-responded', approval };
    expect(await inputOf([assistant(answer), user('2', 'Never mind')])).toMatchObject({
      type: 'message',
      message: { text: 'Never mind' },
    });
  });

  it('puts the tools of the client among the options, from one place', async () => {
    const clientTools = [{ name: 'pick', description: '', inputSchema: {} }];
    const opts = { maxTurns: 3 };
    expect((await chat([user('1', 'Hi')], { clientTools, opts })).opts).toEqual({
      maxTurns: 3,
      clientTools,
    });
    expect((await chat([user('1', 'Hi')])).opts).toEqual({});
    await expect(chat([user('1', 'Hi')], { clientTools, opts: { clientTools } })).rejects.toThrow(
      'twice',
    );
  });

  it.each<[string, object, string]>([
    ['a file without its type', { type: 'file', url: 'data:,a' }, "parts[0].mediaType'"],
    ['a text that is none', { type: 'text', text: 1 }, "'messages[1].parts[0].text'"],
    ['no part', [], "'messages[1].parts[0]'"],
    ['a part that nobody knows', { type: 'hologram' }, "parts[0].type' is 'hologram'"],
    [
      'a file that a provider keeps',
      { type: 'file', mediaType: 'image', url: 'data:,a', providerReference: { openai: 'file-1' } },
      "parts[0].providerReference'",
    ],
  ])('refuses %s, and says where', async (_name, part, words) => {
    const sent = [assistant(), { id: '2', role: 'user', parts: [part] }];
    await expect(chat(sent)).rejects.toThrow(words);
  });

  it('checks and reads nothing of what came before, nor parts that newer packages have', async () => {
    const before = [{ role: 'user', content: 'Old' }, { role: 'assistant' }, { role: 'data' }];
    const parts = [
      { type: 'reasoning-file', a: 1 },
      { type: 'text', text: 'New', filename: null },
    ];
    const input = await inputOf([...before, { role: 'user', parts }]);
    expect(input).toMatchObject({ message: { text: 'New' }, key: undefined });
  });

  it('reads a conversation with the parts of version 7, and nothing of them but what was said', async () => {
    const approval = { id: 'appr_1', approved: true, signature: 'f00d', isAutomatic: true };
    const before = [
      user('1', 'Old'),
      assistant(
        { type: 'step-start' },
        { type: 'custom', kind: 'openai.compaction' },
        { type: 'reasoning-file', mediaType: 'image/png', url: 'data:,a' },
        { type: 'text', text: 'Well', citations: [{ source: { type: 'source' } }] },
        { type: 'steering-message', id: 's', parts: [{ type: 'text', text: 'Steered' }] },
        { type: 'dynamic-tool', toolName: 'x', toolCallId: 'c', state: 'output-denied', approval },
      ),
    ];
    const input = await inputOf([...before, user('2', 'New')]);
    const history = input.type === 'message' ? JSON.stringify(input.history?.()) : '';
    expect(history).toContain('Well');
    expect(history).toContain('denied');
    expect(history).not.toMatch(/Steered|compaction|reasoning-file|f00d/);
    const answer = { type: 'dynamic-tool', toolCallId: 'c', state: 'approval-responded', approval };
    expect(await inputOf([user('1', 'Old'), assistant(answer)])).toMatchObject({
      answers: { decisions: [{ approvalId: 'appr_1', given: { decision: 'approve' } }] },
    });
  });

  it('takes the output of a tool that gives nothing', async () => {
    const part = { type: 'tool-pick', toolCallId: 'c', input: {}, state: 'output-available' };
    const { input } = await chat([assistant(part)]);
    expect(input).toMatchObject({
      answers: { outputs: [{ callId: 'c', given: { output: null } }] },
    });
  });
});

describe('the version of a request', () => {
  it('is 6 where it names none, and what its header or its query says', () => {
    expect(readVersion(undefined, undefined)).toBe('6');
    expect(readVersion('7', undefined)).toBe('7');
    expect(readVersion(undefined, '7-steering')).toBe('7-steering');
    expect(readVersion('7', '7')).toBe('7');
  });

  it.each<[string, unknown, unknown, string]>([
    ['another one', '5', undefined, 'must be 6, 7 or 7-steering'],
    ['an empty one', '', undefined, 'must be 6, 7 or 7-steering'],
    ['several', undefined, ['6', '7'], 'must be 6, 7 or 7-steering'],
    ['two', '6', '7', 'send it once'],
  ])('is refused for %s', (_what, header, query, words) => {
    expect(() => readVersion(header, query)).toThrow(words);
  });
});
