import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  connect,
  ResultError,
  UnsupportedError,
  type Options,
  type SDKMessage,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, collectThrown, kindsOf, resultsOf } from '../../support/agent-sdk/read-query.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

describe('sessions of queries', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const run = (prompt: string, options: Options = {}) =>
    collect(sdk.query({ prompt, options: { cwd: server.projectRoot, ...options } }));
  const sessionOf = (messages: readonly SDKMessage[]): string => messages[0]?.session_id ?? '';
  const sent = (): string => JSON.stringify(server.modelRequests.at(-1));

  it('go on with resume, also with an id of the program’s own', async () => {
    const sessionId = randomUUID();
    const first = await run('My name is Ada.', { sessionId });
    expect(sessionOf(first)).toBe(sessionId);
    const second = await run('Who am I?', { resume: sessionId });
    expect(sessionOf(second)).toBe(sessionId);
    expect(sent()).toContain('My name is Ada.');
    await expect(run('Hello', { sessionId })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const { messages, thrown } = await collectThrown(
      sdk.query({ prompt: 'Hello', options: { resume: randomUUID() } }),
    );
    expect(messages).toMatchObject([{ subtype: 'error_during_execution', num_turns: 0 }]);
    expect(messages[0]).not.toHaveProperty('terminal_reason');
    expect(thrown).toBeInstanceOf(ResultError);
  });

  it('go on with continue in the newest of the folder, or begin', async () => {
    const cwd = await mkdtemp(path.join(newFolder(), 'continued-'));
    const [older, newer] = [await run('One', { cwd }), await run('Two', { cwd })];
    expect(sessionOf(await run('Three', { cwd, continue: true }))).toBe(sessionOf(newer));
    await run('Four', { cwd, resume: sessionOf(older) });
    expect(sessionOf(await run('Five', { cwd, continue: true }))).toBe(sessionOf(older));
    const empty = await mkdtemp(path.join(newFolder(), 'empty-'));
    expect(kindsOf(await run('Six', { cwd: empty, continue: true })).at(-1)).toBe('result/success');
  });

  it('are copied with forkSession, which leaves the first as it is', async () => {
    const first = await run('My name is Ada.');
    const fork = await run('Who am I?', { resume: sessionOf(first), forkSession: true });
    expect(sessionOf(fork)).not.toBe(sessionOf(first));
    expect(sent()).toContain('My name is Ada.');
    expect(await sdk.getSessionMessages(sessionOf(first))).toHaveLength(2);
    const { sessionId } = await sdk.forkSession(sessionOf(first), { title: 'A copy' });
    expect(await sdk.getSessionInfo(sessionId)).toMatchObject({ customTitle: 'A copy' });
  });

  it('are cut with resumeSessionAt, at the end of a turn', async () => {
    const first = await run('My name is Ada.');
    const resume = sessionOf(first);
    const second = await run('[[tool=glob {"pattern":"*"}]] My name is Ben.', { resume });
    const at = first.findLast(({ type }) => type === 'assistant')?.uuid ?? '';
    const fork = await run('Who am I?', { resume, resumeSessionAt: at, forkSession: true });
    expect([sent().includes('Ada'), sent().includes('Ben'), sessionOf(fork) === resume]).toEqual([
      true,
      false,
      false,
    ]);
    await run('Who am I?', { resume, resumeSessionAt: at });
    expect([sent().includes('Ada'), sent().includes('Ben')]).toEqual([true, false]);
    const inside = second.find(({ type }) => type === 'assistant')?.uuid ?? '';
    await expect(run('Who?', { resume, resumeSessionAt: inside })).rejects.toBeInstanceOf(
      UnsupportedError,
    );
  });

  it('keep the rules that they began with', async () => {
    const first = await run('Hello', { allowedTools: ['Write', 'Bash(ls:*)'] });
    const resume = sessionOf(first);
    await expect(run('Hello', { resume })).rejects.toThrow('goes on with other rules');
    const same = await run('Hello', { resume, allowedTools: ['Bash(ls *)', 'Write'] });
    expect(kindsOf(same).at(-1)).toBe('result/success');
  });

  it('are listed, told, renamed and deleted', async () => {
    const cwd = await mkdtemp(path.join(newFolder(), 'listed-'));
    const prompt = '[[think=3]] [[tool=glob {"pattern":"*"}]] Look.';
    const messages = await run(prompt, { cwd });
    const sessionId = sessionOf(messages);
    await sdk.renameSession(sessionId, 'Mine');
    expect(await sdk.listSessions({ dir: cwd })).toMatchObject([
      { sessionId, summary: 'Mine', cwd, lastModified: expect.any(Number) },
    ]);
    const told = await sdk.getSessionMessages(sessionId);
    const conversation = messages.filter(({ type }) => type === 'assistant' || type === 'user');
    expect(told.slice(1)).toEqual(conversation);
    expect(told[0]).toMatchObject({ type: 'user', message: { content: prompt } });
    await sdk.deleteSession(sessionId);
    expect(await sdk.getSessionInfo(sessionId)).toBeUndefined();
    expect(await sdk.getSessionMessages(sessionId)).toEqual([]);
    const brief = await run('Hello', { cwd, persistSession: false });
    expect(await sdk.getSessionInfo(sessionOf(brief))).toBeUndefined();
  });

  it('are read on with attach, from the start or after a message', async () => {
    const query = sdk.query({
      prompt: '[[tokens=40 gap=20]] [[tool=glob {"pattern":"*"} step=1]]',
      options: { cwd: server.projectRoot },
    });
    const first: SDKMessage[] = [];
    const reading = (async () => {
      for await (const message of query) first.push(message);
    })();
    await expectSoon(() => expect(kindsOf(first)).toContain('user/tool_result'));
    const attached = collect(sdk.attach(sessionOf(first)));
    await reading;
    const messages = await attached;
    expect(messages).toEqual(first);
    const [, second] = first;
    const rest = await collect(sdk.attach(sessionOf(first), { after: second?.uuid ?? '' }));
    expect(rest).toEqual(first.slice(2));
    await expect(collect(sdk.attach(sessionOf(first), { after: randomUUID() }))).rejects.toThrow(
      'has no message',
    );
    expect(resultsOf(messages)).toHaveLength(1);
  });
});
