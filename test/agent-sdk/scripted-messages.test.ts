import { afterEach, describe, expect, it } from '@jest/globals';
import { calls, says } from './cases/say.js';
import { startScriptedMessages, type ScriptedMessages, type Thread } from './scripted-messages.js';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('the scripted model', () => {
  let model: ScriptedMessages;

  async function ask(
    threads: readonly Thread[],
    bodies: readonly object[],
    how: Partial<Parameters<typeof startScriptedMessages>[1]> = {},
  ): Promise<{ status: number; text: string }[]> {
    model = await startScriptedMessages(threads, { project: '/p', ...how });
    const answers = [];
    for (const body of bodies) {
      const response = await fetch(`${model.url}/v1/messages?beta=true`, {
        method: 'POST',
        headers: { 'x-api-key': 'dummy', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', max_tokens: 10, stream: true, ...body }),
      });
      answers.push({ status: response.status, text: await response.text() });
    }
    return answers;
  }

  afterEach(() => model.close());

  it('answers by the place in the conversation, however often it is asked', async () => {
    const first = { messages: [user('Hi')] };
    const second = { messages: [user('Hi'), assistant('One.'), user('And?')] };
    const answers = await ask([{ replies: [says('One.'), says('Two.')] }], [first, second, first]);
    expect(answers.map(({ text }) => /One|Two/.exec(text)?.[0])).toEqual(['One', 'Two', 'One']);
    expect(model.faults).toEqual([]);
  });

  it('has a thread of its own for a conversation that begins with a text', async () => {
    const threads = [
      { replies: [says('Main.')] },
      { about: 'Look into b', replies: [says('Sub.')] },
    ];
    const [main, sub] = await ask(threads, [
      { messages: [user('Go')] },
      { messages: [user([{ type: 'text', text: 'Look into b' }])] },
    ]);
    expect(main?.text).toContain('Main.');
    expect(sub?.text).toContain('Sub.');
  });

  it('counts several assistant messages in a row as one reply', async () => {
    const messages = [user('Go'), assistant('One.'), assistant('Still one.'), user('And?')];
    const [answer] = await ask([{ replies: [says('One.'), says('Two.')] }], [{ messages }]);
    expect(answer?.text).toContain('Two.');
  });

  it('refuses so many requests, and then answers', async () => {
    const refuse = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
    const body = { messages: [user('Hi')] };
    const answers = await ask(
      [{ replies: [{ text: 'Hello.', refuse, refusals: 1 }] }],
      [body, body],
    );
    expect(answers.map(({ status }) => status)).toEqual([529, 200]);
  });

  it('gives calls the project and the names of the side that is run', async () => {
    const [answer] = await ask(
      [{ replies: [calls(['Write', { file_path: '<project>/a.txt' }])] }],
      [{ messages: [user('Go')] }],
      { rename: ({ input }) => ({ name: 'write', input: { ...input, more: 1 } }) },
    );
    expect(answer?.text).toContain('"name":"write"');
    expect(answer?.text).toContain(String.raw`{\"file_path\":\"/p/a.txt\",\"more\":1}`);
  });

  it('writes a call as a text where the side that is run has none for it', async () => {
    const [answer] = await ask(
      [{ replies: [calls('First.', ['Answer', { place: '<project>' }])] }],
      [{ messages: [user('Go')] }],
      { rename: ({ input }) => ({ text: JSON.stringify(input) }) },
    );
    expect(answer?.text).toContain(String.raw`{\"place\":\"/p\"}`);
    expect(answer?.text).toContain('"stop_reason":"end_turn"');
    expect(answer?.text).not.toContain('tool_use');
  });

  it('answers a request for one token without the script', async () => {
    const [answer] = await ask([], [{ messages: [user('Hi')], max_tokens: 1, stream: false }]);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ type: 'message', role: 'assistant' });
    expect(model.faults).toEqual([]);
  });

  const use = assistant([{ type: 'tool_use', id: 'a', name: 'Read', input: {} }]);
  it.each([
    ['that the script has no reply for', [user('Hi'), assistant('x'), user('y')], 'no reply 2'],
    ['whose call has no result', [user('Hi'), use, user('y')], 'No result follows the call a'],
    [
      'whose result has no call',
      [user([{ type: 'tool_result', tool_use_id: 'z', content: '' }])],
      'no call before it: z',
    ],
    ['with an empty text', [user([{ type: 'text', text: '' }])], 'A text is empty'],
    ['that the assistant begins', [assistant('Hi')], 'not of the user'],
  ])('refuses a request %s, and says so', async (_what, messages, fault) => {
    const [answer] = await ask([{ replies: [says('One.')] }], [{ messages }]);
    expect(answer?.status).toBe(400);
    expect(model.faults).toEqual([expect.stringContaining(fault)]);
  });
});
