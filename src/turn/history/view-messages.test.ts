import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import type { AttachmentRef, AssistantPart } from '../../storage/shapes/stored-step.js';
import { noUsage } from '../../events/turn-event.js';
import { newId } from '../../platform/ids.js';
import { messages, steps, toolCalls } from '../../storage/transcript-schema.js';
import { loadSessionTurns } from '../state/load-turns.js';
import { assistantMessageId } from '../state/turn-row.js';
import { viewMessages } from './view-messages.js';

describe('the messages of a session', () => {
  const database = useDatabase();

  let sessionId: string;
  beforeEach(async () => {
    sessionId = await storeSession(database.db);
  });

  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const file: AttachmentRef = {
    name: 'a.txt',
    path: '/work/a.txt',
    mimeType: 'text/plain',
    size: 3,
    sha256: '00',
  };

  async function storeMessage(turnId: string, createdAt: Date): Promise<void> {
    const parts = [
      { type: 'text' as const, text: 'Hello' },
      { type: 'file' as const, file },
    ];
    const id = newId('msg');
    await database.db
      .insert(messages)
      .values({ id, sessionId, turnId, role: 'user', parts, createdAt });
  }

  async function answer(turnId: string, step: number, parts: AssistantPart[]): Promise<void> {
    const times = { startedAt: at(1), endedAt: at(2) };
    await database.db.insert(steps).values({
      turnId,
      step,
      attempt: 1,
      parts,
      stopReason: 'end_turn',
      usage: noUsage,
      ...times,
    });
  }

  const view = async () => viewMessages(await loadSessionTurns(database.db, sessionId));

  it('are what was said and what was answered, turn by turn', async () => {
    const first = await storeTurn(database.db, {
      sessionId,
      status: 'completed',
      createdAt: at(1),
      endedAt: at(3),
    });
    await storeMessage(first, at(1));
    const parts: AssistantPart[] = [
      { type: 'thinking', thinking: 'Hm.', signature: 'secret' },
      { type: 'thinking', thinking: '', signature: '', meta: { openai: {} } },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'text', text: '' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'c2', name: 'read', input: {} },
      { type: 'tool_use', id: 'c3', name: 'read', input: {} },
      { type: 'opaque', block: { type: 'server_tool_use', secret: true } },
    ];
    await answer(first, 1, parts);
    await answer(first, 2, [{ type: 'text', text: 'Done.' }]);
    const call = { turnId: first, step: 1, attempt: 1, name: 'read', input: {}, claimedAt: at(2) };
    await database.db.insert(toolCalls).values([
      { ...call, callId: 'c1', status: 'success', output: 'text of a' },
      { ...call, callId: 'c3', status: 'refused', output: 'not run: the turn ended before it' },
    ]);
    const second = await storeTurn(database.db, { sessionId, status: 'queued', createdAt: at(5) });
    await storeMessage(second, at(5));

    const [user, assistant, ...later] = await view();
    expect(user).toMatchObject({
      turnId: first,
      role: 'user',
      status: 'complete',
      createdAt: '2026-01-01T00:00:01.000Z',
      parts: [
        { type: 'text', text: 'Hello' },
        { type: 'file', name: 'a.txt', path: '/work/a.txt', mimeType: 'text/plain', size: 3 },
      ],
    });
    expect(assistant).toMatchObject({
      messageId: assistantMessageId(first),
      turnId: first,
      role: 'assistant',
      status: 'complete',
      createdAt: '2026-01-01T00:00:03.000Z',
      parts: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Looking.' },
        {
          type: 'tool',
          toolUseId: 'c1',
          name: 'read',
          input: { path: 'a' },
          status: 'success',
          output: 'text of a',
        },
        {
          type: 'tool',
          toolUseId: 'c2',
          name: 'read',
          input: {},
          status: 'requested',
          output: null,
        },
        {
          type: 'tool',
          toolUseId: 'c3',
          name: 'read',
          input: {},
          status: 'denied',
          output: 'not run: the turn ended before it',
        },
        { type: 'text', text: 'Done.' },
      ],
    });
    expect(assistant?.steps).toMatchObject([
      { step: 1, status: 'completed', parts: [{}, {}, {}, {}, {}], notices: [] },
      { step: 2, status: 'completed', parts: [{ type: 'text', text: 'Done.' }], notices: [] },
    ]);
    expect(later).toMatchObject([
      { turnId: second, role: 'user' },
      { turnId: second, role: 'assistant', status: 'active' },
    ]);
  });

  it.each(['held', 'queued', 'running', 'waiting'] as const)(
    'name a turn that is %s before its first step is whole: a page that was loaded anew follows it',
    async (status) => {
      const turnId = await storeTurn(database.db, { sessionId, status });
      await storeMessage(turnId, at(1));
      const [, assistant] = await view();
      expect(assistant).toMatchObject({
        messageId: assistantMessageId(turnId),
        turnId,
        status: 'active',
        parts: [],
        steps: [],
      });
    },
  );

  it('have no answer of a turn that ended before its first step was whole', async () => {
    const turnId = await storeTurn(database.db, { sessionId, status: 'failed' });
    await storeMessage(turnId, at(1));
    expect((await view()).map(({ role }) => role)).toEqual(['user']);
  });

  it.each([
    ['queued', 'active'],
    ['running', 'active'],
    ['completed', 'complete'],
    ['limited', 'cut'],
    ['interrupted', 'cut'],
    ['failed', 'cut'],
  ] as const)('of a turn that is %s: the answer is %s', async (status, shown) => {
    const turnId = await storeTurn(database.db, { sessionId, status });
    await storeMessage(turnId, at(1));
    await answer(turnId, 1, [{ type: 'text', text: 'Hi' }]);
    const [user, assistant] = await view();
    expect([user?.status, assistant?.status]).toEqual(['complete', shown]);
  });

  it('are in the order of their turns, and leave none out that came in one millisecond', async () => {
    const ids: string[] = [];
    for (const second of [1, 2, 2, 3]) {
      const turnId = await storeTurn(database.db, {
        sessionId,
        status: 'completed',
        createdAt: at(second),
      });
      await storeMessage(turnId, at(second));
      ids.push(turnId);
    }
    const shown = (await view()).map((message) => message.turnId);
    expect([shown[0], shown[3]]).toEqual([ids[0], ids[3]]);
    expect(shown.slice(1, 3).sort()).toEqual(ids.slice(1, 3).sort());
  });
});
