import { afterEach, describe, expect, it } from '@jest/globals';
import { Chat } from '../../../src/client/chat/chat.js';
import type { ChatCall, ChatMessage } from '../../../src/client/chat/chat-message.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { words } from '../../support/clients/run-example.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

/** The chat behind the hook `useTurnpikeChat`; browser/create-turnpike.test.ts has the hook. */
describe('a chat of a page', () => {
  const server = useServer(async () => ({
    // A turn that does not say `continue` ends as soon as its page is left.
    environment: { TURNPIKE_DISCONNECT_GRACE_MS: '0' },
  }));
  const chats: Chat[] = [];
  afterEach(() => chats.splice(0).forEach((chat) => chat.close()));

  /** A chat as a page has it that was just loaded. */
  function open(sessionId?: string): Chat {
    const chat = new Chat(new TurnpikeClient({ url: server.url }));
    chats.push(chat);
    chat.settings = { session: { projectRoot: server.projectRoot } };
    chat.open(sessionId);
    return chat;
  }
  const becomes = (chat: Chat, status: string) =>
    expectSoon(() => expect(chat.get().status).toBe(status));
  const answerOf = (chat: Chat) => chat.get().messages.at(-1);
  const textOf = (message: ChatMessage | undefined) =>
    message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const callsOf = (chat: Chat): ChatCall[] =>
    (answerOf(chat)?.parts ?? []).flatMap((part) => (part.type === 'tool' ? [part] : []));
  /** What is shown of messages: not which step said it, nor how the turn ended, which the history does not have. */
  const shown = (chat: Chat) =>
    chat.get().messages.map(({ role, state, parts }) => ({
      role,
      state,
      parts: parts.map((part) => ({ ...part, step: undefined })),
    }));
  const sessionOf = (chat: Chat): string => chat.get().sessionId ?? '';

  it.each([
    'Hello',
    '[[think=20]] [[tokens=30]]',
    'Look. [[tool=glob {"pattern":"*"}]] [[args=4]]',
    '[[tool=no_such_tool {"a":1}]]',
    '[[loop=3 tool=read {"file_path":"none-$i.txt"}]]',
    '[[tokens=20]] [[stop=max_tokens]]',
    '[[fail=529 after=3]] [[tokens=20]]',
  ])('shows after a reload what it showed while the answer came: %s', async (message) => {
    const chat = open();
    expect(await chat.send(message)).toBe(true);
    await becomes(chat, 'ready');
    const reloaded = open(sessionOf(chat));
    expect(reloaded.get().status).toBe('loading');
    await becomes(reloaded, 'ready');
    expect(shown(reloaded)).toEqual(shown(chat));
    expect(shown(chat)).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
  });

  it('goes on with an answer that another page began, in its first step and in a later one', async () => {
    for (const message of [
      '[[tokens=120 gap=10]]',
      '[[tool=glob {"pattern":"*"}]] [[tokens=120 gap=10 step=2]]',
    ]) {
      const chat = open();
      await chat.send(message);
      await expectSoon(() => expect(textOf(answerOf(chat))).toContain('word5 '));
      chat.close();
      const reloaded = open(sessionOf(chat));
      const lengths: number[] = [];
      reloaded.subscribe(() => lengths.push(answerOf(reloaded)?.parts.length ?? 0));
      await becomes(reloaded, 'ready');
      expect(textOf(answerOf(reloaded))).toBe(words(120));
      expect(answerOf(reloaded)?.state).toBe('complete');
      expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    }
  });

  it('ends no turn when the page is left, unless its application says so', async () => {
    const { turns } = new TurnpikeClient({ url: server.url });
    for (const [opts, status] of [
      [{}, 'completed'],
      [{ onDisconnect: 'cancel' }, 'interrupted'],
    ] as const) {
      const chat = open();
      chat.settings = { ...chat.settings, opts };
      await chat.send('[[tokens=100 gap=10]]');
      const { turnId = '' } = answerOf(chat) ?? {};
      chat.close();
      await expectSoon(async () => expect((await turns.get(turnId)).status).toBe(status));
    }
  });

  it('waits for a person, also after a reload, and takes their answer', async () => {
    const chat = open();
    await chat.send('[[tool=write {"file_path":"chat.txt","content":"Hello"}]]');
    await becomes(chat, 'waiting');
    const reloaded = open(sessionOf(chat));
    await becomes(reloaded, 'waiting');
    for (const one of [chat, reloaded]) {
      expect(callsOf(one)).toMatchObject([
        {
          name: 'write',
          status: 'waiting',
          input: { file_path: 'chat.txt', content: 'Hello' },
          approval: { kind: 'tool', onTimeout: 'deny' },
        },
      ]);
    }
    const [{ approval } = {}] = callsOf(reloaded);
    expect(await reloaded.answer(approval?.approvalId ?? '', 'deny', 'Not today')).toBe(true);
    for (const one of [chat, reloaded]) {
      await becomes(one, 'ready');
      expect(callsOf(one)).toMatchObject([{ status: 'denied' }]);
      expect(callsOf(one)[0]).not.toHaveProperty('approval');
    }
    expect(await reloaded.answer('appr_none', 'approve')).toBe(false);
    expect(reloaded.get().error).toMatchObject({ code: 'APPROVAL_NOT_FOUND' });
  });

  it('says why a message was refused, and does not show it any more', async () => {
    const chat = open();
    await chat.send('[[tokens=5000 gap=20]]');
    await becomes(chat, 'answering');
    expect(await chat.send('And this?')).toBe(false);
    expect(chat.get().error).toMatchObject({ code: 'TURN_IN_PROGRESS' });
    expect(chat.get().messages).toHaveLength(2);
    expect(await chat.stop()).toBe(true);
    await becomes(chat, 'ready');
    expect(answerOf(chat)).toMatchObject({ state: 'cut', end: { outcome: 'interrupted' } });
    expect(await chat.send('And this?')).toBe(true);
    expect(chat.get()).not.toHaveProperty('error');
    await becomes(chat, 'ready');
  });

  it('says after a reload why a turn failed in its first step', async () => {
    const chat = open();
    await chat.send('[[fail=400]]');
    await becomes(chat, 'ready');
    const reloaded = open(sessionOf(chat));
    for (const one of [chat, reloaded]) {
      await expectSoon(() => {
        expect(answerOf(one)).toMatchObject({
          role: 'assistant',
          state: 'cut',
          error: { errorType: 'SDK_FAILURE' },
        });
      });
    }
  });

  it('shows another session, and a new one, without what came for the one before', async () => {
    const chat = open();
    await chat.send('[[tokens=100 gap=10]]');
    const first = sessionOf(chat);
    chat.open(undefined);
    expect(chat.get()).toEqual({ messages: [], status: 'ready' });
    await chat.send('Second');
    await becomes(chat, 'ready');
    expect(sessionOf(chat)).not.toBe(first);
    expect(chat.get().messages).toHaveLength(2);
    chat.open(first);
    await becomes(chat, 'ready');
    expect(textOf(answerOf(chat))).toBe(words(100));
    chat.open('sess_00000000-0000-4000-8000-000000000000');
    await expectSoon(() => expect(chat.get().error).toMatchObject({ code: 'SESSION_NOT_FOUND' }));
  });
});
