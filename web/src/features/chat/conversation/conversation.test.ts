import { describe, expect, it } from '@jest/globals';
import type { MessageDto } from '#src/turn/history/messages.dto.js';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import { Conversation } from './conversation.js';
import type { ConversationServer, TurnSummary } from './conversation-server.js';
import type { AnyFrame, Submission } from './turn-view.js';

async function* nothing(): AsyncGenerator<AnyFrame> {}

const session = {
  sessionId: 'sess_1',
  projectRoot: '/p',
  persona: 'WORKING_ITEMS',
  mode: 'direct',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const asked = (turnId: string): MessageDto => ({
  messageId: `msg_${turnId}`,
  turnId,
  role: 'user',
  status: 'complete',
  createdAt: '2026-01-01T00:00:00.000Z',
  parts: [{ type: 'text', text: 'Hello' }],
});

/** The answers of the API, and the requests it got. */
function server(more: Partial<ConversationServer> = {}) {
  const followed: string[] = [];
  const api: ConversationServer = {
    session: async () => session,
    messages: async () => [],
    turns: async () => [],
    submit: async () => ({ turnId: 'turn_1', isSteered: false, frames: nothing() }),
    follow: (turnId) => {
      followed.push(turnId);
      return nothing();
    },
    interrupt: async () => undefined,
    ...more,
  };
  return { api, followed };
}

/** The turns that nothing took the place of. */
const inForce = (conversation: Conversation): string[] =>
  conversation.state
    .get()
    .turns.flatMap(({ turnId, supersededBy }) => (supersededBy === undefined ? [turnId] : []));

describe('Conversation', () => {
  it('sends a message again under the key it had', async () => {
    const sent: Submission[] = [];
    const { api } = server({
      submit: async (submission) => {
        sent.push(submission);
        if (sent.length === 1) throw new Error('no connection');
        return { turnId: 'turn_1', isSteered: false, frames: nothing() };
      },
    });
    const changed: string[] = [];
    const conversation = new Conversation('sess_1', api, (turnId) => changed.push(turnId));
    await conversation.open();
    await conversation.send({ message: 'Hello', attachments: [], opts: {} }, []);
    const [failed] = conversation.state.get().turns;
    expect(failed?.fault).toEqual(new Error('no connection'));
    await conversation.retry(failed?.turnId ?? '');
    expect(sent[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[1]).toEqual(sent[0]);
    expect(conversation.state.get().turns.map(({ turnId }) => turnId)).toEqual(['turn_1']);
    expect(changed).toEqual(['turn_1']);
    await conversation.send({ message: 'Hello', attachments: [], opts: {} }, []);
    expect(sent[2]?.idempotencyKey).not.toBe(sent[0]?.idempotencyKey);
    conversation.close();
  });

  it('follows a turn that came between two lists once it has its message', async () => {
    const messages: MessageDto[] = [];
    const turns: TurnSummary[] = [{ turnId: 'turn_1', status: 'running' }];
    const { api, followed } = server({
      messages: async () => [...messages],
      turns: async () => turns,
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    expect(followed).toEqual([]);
    messages.push(asked('turn_1'));
    await conversation.sync();
    expect(followed).toEqual(['turn_1']);
    await conversation.sync();
    expect(followed).toEqual(['turn_1']);
    conversation.close();
  });

  it('follows a turn that starts while the messages are being read', async () => {
    const turns: TurnSummary[] = [];
    const { api, followed } = server({
      messages: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        turns.unshift({ turnId: 'turn_1', status: 'waiting' });
        return [asked('turn_1')];
      },
      turns: async () => [...turns],
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    expect(followed).toEqual(['turn_1']);
    expect(conversation.state.get().turns[0]?.view.phase).not.toBe('ended');
    conversation.close();
  });

  it('takes what a message replaces out of the conversation once the server has accepted it', async () => {
    let accept = (): void => undefined;
    const accepted = new Promise<void>((resolve) => (accept = resolve));
    const { api } = server({
      messages: async () => ['one', 'two', 'three'].map(asked),
      submit: async ({ replaces }) => {
        await accepted;
        return { turnId: `instead of ${replaces}`, isSteered: false, frames: nothing() };
      },
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    const request = { message: 'Instead', attachments: [], opts: {}, replaces: 'two' };
    const sending = conversation.send(request, []);
    expect(inForce(conversation)).toEqual(['one', 'two', 'three', 'local-1']);
    accept();
    await sending;
    expect(inForce(conversation)).toEqual(['one', 'instead of two']);
    // A list that was asked for before does not bring them back.
    await conversation.open();
    expect(inForce(conversation)).toEqual(['one', 'instead of two']);
    conversation.close();
  });

  it('keeps what a message was to replace where the server refuses it', async () => {
    const { api } = server({
      messages: async () => [asked('one')],
      submit: async () => {
        throw new Error('A turn runs');
      },
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    const request = { message: 'Instead', attachments: [], opts: {}, replaces: 'one' };
    await conversation.send(request, []);
    expect(inForce(conversation)).toEqual(['one', 'local-1']);
    expect(conversation.state.get().turns.at(-1)?.fault).toEqual(new Error('A turn runs'));
    conversation.close();
  });

  it('learns of turns that others took the place of, followed ones too', async () => {
    let messages = [asked('one'), asked('two')];
    let turns: TurnSummary[] = [{ turnId: 'two', status: 'running' }];
    const { api, followed } = server({
      messages: async () => messages,
      turns: async () => turns,
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    expect(followed).toEqual(['two']);
    messages = [asked('one'), { ...asked('two'), supersededBy: 'instead' }, asked('instead')];
    turns = [{ turnId: 'instead', status: 'running' }];
    await conversation.sync();
    expect(inForce(conversation)).toEqual(['one', 'instead']);
    expect(conversation.state.get().turns.map(({ turnId }) => turnId)).toEqual([
      'one',
      'two',
      'instead',
    ]);
    conversation.close();
  });

  describe('that shows an ended turn from its log', () => {
    const reply: MessageDto = {
      ...asked('one'),
      messageId: 'msg_reply',
      role: 'assistant',
      parts: [{ type: 'text', text: 'Hi' }],
    };
    const frame = (event: string, data: object): AnyFrame =>
      ({ event, id: `one:1.${event}`, data }) as AnyFrame;
    const messages = async () => [asked('one'), reply];
    const viewOf = (conversation: Conversation) => conversation.state.get().turns[0]?.view;

    it('changes it once, when the log is whole', async () => {
      let sendRest = (): void => undefined;
      const rest = new Promise<void>((resolve) => {
        sendRest = resolve;
      });
      const { api } = server({
        messages,
        follow: async function* () {
          yield frame('step:start', { step: 1 });
          yield frame('chat:delta', { text: 'Hi there', step: 1 });
          await rest;
          yield frame('process:exit', { exitCode: 0 });
        },
      });
      const conversation = new Conversation('sess_1', api, () => undefined);
      await conversation.open();
      const stored = viewOf(conversation);
      const hydrated = conversation.hydrate('one');
      await new Promise((resolve) => setImmediate(resolve));
      expect([viewOf(conversation), stored?.phase]).toEqual([stored, 'ended']);
      sendRest();
      await hydrated;
      expect(viewOf(conversation)).toMatchObject({ phase: 'ended', items: [{ text: 'Hi there' }] });
      conversation.close();
    });

    it('leaves it as it is where the log cannot be read, and reads it when it is asked to again', async () => {
      let reads = 0;
      const { api } = server({
        messages,
        follow: async function* () {
          reads += 1;
          yield frame('step:start', { step: 1 });
          throw new Error('no connection');
        },
      });
      const conversation = new Conversation('sess_1', api, () => undefined);
      await conversation.open();
      const stored = conversation.state.get().turns[0];
      await conversation.hydrate('one');
      await conversation.hydrate('one');
      expect([conversation.state.get().turns[0], reads]).toEqual([stored, 2]);
      conversation.close();
    });
  });

  it('is over once its session is gone, and asks no more', async () => {
    let asked = 0;
    const { api } = server({
      turns: async () => {
        asked += 1;
        const facts = { status: 404, message: 'There is no session', retryable: false };
        throw new TurnpikeError('SESSION_NOT_FOUND', facts);
      },
    });
    const conversation = new Conversation('sess_1', api, () => undefined);
    await conversation.open();
    await conversation.sync();
    await conversation.sync();
    expect(asked).toBe(1);
    expect(conversation.state.get()).toMatchObject({
      status: 'failed',
      fault: { code: 'SESSION_NOT_FOUND' },
    });
    conversation.close();
  });
});
