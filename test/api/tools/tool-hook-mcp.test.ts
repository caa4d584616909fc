import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { startHook } from '../../support/tools/start-hook.js';
import { useServer } from '../../support/processes/start-server.js';
import { answerWith } from '../../support/webhooks/start-receiver.js';
import { useShared } from '../../support/suite.js';

const script = fileURLToPath(new URL('../../support/mcp/mcp-stdio-server.mjs', import.meta.url));
const call = (tool: string, input: object = {}): string =>
  `[[tool=mcp__${tool} ${JSON.stringify(input)}]]`;
const note = (line: string): string => call('box__note', { text: line });

describe('the tool hook over tools of MCP servers', () => {
  const hook = useShared(startHook);
  const root = instructionRootWith({
    BOXER: ['mcp_servers: [box, trusted]', 'permissions: {allow: [mcp__*]}'],
    ASKER: ['mcp_servers: [box]'],
    BARRED: ['mcp_servers: [box]', 'permissions: {deny: [mcp__box__*]}'],
  });
  const notes = path.join(root, 'notes.txt');
  const server = useServer(async () => {
    const file = path.join(root, 'mcp.json');
    const box = { command: process.execPath, args: [script], env: { NOTES: notes } };
    const trusted = { ...box, trustAnnotations: true };
    await writeFile(file, JSON.stringify({ mcpServers: { box, trusted } }));
    return {
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: root,
        TURNPIKE_MCP_FILE: file,
        ...hook.environment,
      },
    };
  });
  beforeEach(async () => {
    hook.receiver.received.length = 0;
    hook.say({ decision: 'allow' });
    await rm(notes, { force: true });
  });

  async function start(message: string, persona = 'BOXER', opts: object = {}) {
    const sessionId = await server.client.createSession(server.projectRoot, { persona });
    return server.client.turn(sessionId, message, { opts });
  }
  async function resultsOf(message: string, persona?: string, opts?: object) {
    const frames = await (await start(message, persona, opts)).all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    return frames.filter(({ event }) => event === 'tool:result').map(({ data }) => data);
  }
  /** What the server did: its effects, a line each. */
  const noted = (): Promise<string> => readFile(notes, 'utf8').catch(() => '');

  it('is asked about a call by its name in the turn, and lets it run', async () => {
    const results = await resultsOf(note('one'));
    expect(results).toMatchObject([{ status: 'success' }]);
    expect(hook.about('mcp__box__note')).toMatchObject([
      {
        agent: 'BOXER',
        callId: results[0]?.['toolUseId'],
        input: { text: 'one' },
        rules: { decision: 'allow' },
      },
    ]);
    expect(await noted()).toBe('one\n');
  });

  it('denies what the rules allow: the server gets no call', async () => {
    hook.say({ decision: 'deny', reason: 'not on Fridays' });
    expect(await resultsOf(note('two'))).toMatchObject([
      {
        status: 'denied',
        output: 'permission denied: the tool hook of this server denies the call: not on Fridays',
      },
    ]);
    expect(await noted()).toBe('');
  });

  it('allows nothing that the rules deny, and is not asked about it', async () => {
    expect(await resultsOf(note('three'), 'BARRED')).toMatchObject([{ status: 'denied' }]);
    expect([hook.receiver.received, await noted()]).toEqual([[], '']);
  });

  it('asks a person about what the rules allow; a yes runs it once', async () => {
    hook.say({ decision: 'ask', reason: 'it leaves the house' });
    const stream = await start(note('four'));
    const asked = await stream.until('approval:request');
    expect(asked.data).toMatchObject({
      name: 'mcp__box__note',
      reason: 'the tool hook asks before mcp__box__note: it leaves the house',
    });
    expect(await noted()).toBe('');
    const { approvalId } = asked.data;
    await server.client.post(`/api/harness/approvals/${String(approvalId)}`, {
      decision: 'approve',
    });
    await stream.all();
    expect(await noted()).toBe('four\n');
    expect(hook.about('mcp__box__note')).toHaveLength(1);
  });

  it('answers no question that the rules ask', async () => {
    const stream = await start(note('five'), 'ASKER');
    const asked = await stream.until('approval:request');
    const { approvalId } = asked.data;
    await server.client.post(`/api/harness/approvals/${String(approvalId)}`, { decision: 'deny' });
    await stream.all();
    expect(await noted()).toBe('');
    expect(hook.about('mcp__box__note')).toMatchObject([{ rules: { decision: 'ask' } }]);
  });

  it.each([
    ['answers with an error', answerWith(500, {}, '{"decision":"allow"}')],
    ['answers with no decision', answerWith(200, {}, '{"decision":"perhaps"}')],
  ])(
    'that %s denies calls, but for those of a trusted server’s tools that only read',
    async (_how, answer) => {
      hook.receiver.answer = answer;
      // By their annotations `pid` only reads, and `echo` may be repeated: those of `box` are not trusted.
      const calls = [
        note('six'),
        call('box__pid'),
        call('trusted__echo', { text: 'x' }),
        call('trusted__pid'),
      ];
      const results = await resultsOf(calls.join(' '));
      const statuses = Object.fromEntries(results.map(({ name, status }) => [name, status]));
      expect(statuses).toEqual({
        mcp__box__note: 'denied',
        mcp__box__pid: 'denied',
        mcp__trusted__echo: 'denied',
        mcp__trusted__pid: 'success',
      });
      expect(await noted()).toBe('');
    },
  );
});
