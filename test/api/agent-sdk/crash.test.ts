import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import {
  connect,
  createSdkMcpServer,
  tool,
  type SDKMessage,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, kindsOf, outputsOf, resultsOf } from '../../support/agent-sdk/read-query.js';
import { answer, openKilledServer } from '../../support/crash/killed-server.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.end('SIGKILL')));
});

function start(file: string, environment: Record<string, string>): Host {
  const host = startHost(`test/fixtures/hosts/${file}.mjs`, environment);
  hosts.push(host);
  return host;
}

/** The lines of a program up to one that has a field. */
async function readUntil(host: Host, field: string): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  while (lines.at(-1)?.[field] === undefined) {
    lines.push(JSON.parse(await host.line()) as Record<string, unknown>);
  }
  return lines;
}

describe('a program that is killed while its query waits', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const begin = async (prompt: string, field: string) => {
    const environment = { TURNPIKE_URL: server.url, CWD: server.projectRoot, PROMPT: prompt };
    const caller = start('agent-sdk-caller', environment);
    const lines = await readUntil(caller, field);
    await caller.end('SIGKILL');
    hosts.splice(0);
    return { lines, resume: String(lines[0]?.['session_id']) };
  };

  it('leaves its question open, which the next query of the session is asked', async () => {
    const prompt = '[[tool=write {"file_path":"once.txt","content":"one"}]]';
    const { lines, resume } = await begin(prompt, 'asked');
    const asked: unknown[] = [];
    const messages = await collect(
      sdk.query({
        prompt: 'And now?',
        options: {
          resume,
          allowedTools: ['mcp__marks__mark'],
          mcpServers: { marks: createSdkMcpServer({ name: 'marks' }) },
          canUseTool: (name, input) => {
            asked.push({ asked: name, input });
            return { behavior: 'allow' };
          },
        },
      }),
    );
    expect(asked).toEqual(lines.filter((line) => 'asked' in line));
    expect(await readFile(path.join(server.projectRoot, 'once.txt'), 'utf8')).toBe('one');
    // What the dead program had comes again under its uuids; then the rest, and the turn of the prompt.
    const known = lines.filter((line) => 'uuid' in line);
    expect(messages.slice(0, known.length)).toEqual(known);
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/tool_use',
      'user/tool_result',
      'assistant/text',
      'system/init',
      'assistant/text',
      'result/success',
    ]);
  });

  it('has no call of its own tools run a second time, unless they say that they may', async () => {
    for (const [annotations, words] of [
      [{}, 'Whether the call took effect is not known'],
      [{ idempotentHint: true }, 'marked again'],
    ] as const) {
      const { resume } = await begin('[[tool=mcp__marks__mark {}]]', 'called');
      const again = async () => ({ content: [{ type: 'text', text: 'marked again' }] });
      const mark = tool('mark', 'Leaves a mark.', {}, again, { annotations });
      const messages = await collect(
        sdk.query({
          prompt: 'And now?',
          options: {
            resume,
            allowedTools: ['mcp__marks__mark'],
            mcpServers: { marks: createSdkMcpServer({ name: 'marks', tools: [mark] }) },
          },
        }),
      );
      expect(outputsOf(messages)).toEqual([expect.stringContaining(words)]);
    }
  });
});

describe('a server that is killed in the middle of a turn', () => {
  it('loses no message of the query, and repeats none', async () => {
    const killed = await openKilledServer();
    try {
      const sdk = connect(new TurnpikeClient({ url: killed.url }));
      const messages: SDKMessage[] = [];
      let wasKilled = false;
      const query = sdk.query({
        prompt: killed.message,
        options: { includePartialMessages: true },
      });
      for await (const message of query) {
        messages.push(message);
        const deltas = messages.filter((one) => kindsOf([one])[0]?.endsWith('block_delta'));
        if (wasKilled || deltas.length < 5) continue;
        wasKilled = true;
        await killed.killAndStart();
      }
      const whole = messages.filter(({ type }) => type !== 'stream_event');
      expect(kindsOf(whole)).toEqual(['system/init', 'assistant/text', 'result/success']);
      expect(whole[1]).toMatchObject({ message: { content: [{ type: 'text', text: answer }] } });
      expect(resultsOf(messages)).toMatchObject([{ result: answer }]);
      expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
      const again = await collect(sdk.attach(messages[0]?.session_id ?? ''));
      expect(again).toEqual(whole);
    } finally {
      await killed.close();
    }
  });
});

describe('an embedded server that is killed with its program', () => {
  const model = useShared(() => startRehearsal());
  afterAll(() => model.close());

  it('goes on with the turn when it is started again, where attach reads it', async () => {
    const environment = { DATA_DIR: newFolder(), MODEL_URL: model.url };
    const prompt =
      '[[tool=write {"file_path":"a.txt","content":"one"} step=1]] [[tokens=30 gap=50 step=2]]';
    const first = start('agent-sdk-host', { ...environment, PROMPT: prompt });
    const lines = await readUntil(first, 'tool_use_result');
    await first.end('SIGKILL');
    hosts.splice(0);
    const second = start('agent-sdk-host', {
      ...environment,
      ATTACH: String(lines[0]?.['session_id']),
    });
    const rest = await readUntil(second, 'modelUsage');
    expect(rest.slice(0, lines.length)).toEqual(lines);
    expect(rest.slice(lines.length).map(({ type }) => type)).toEqual(['assistant', 'result']);
    await expectSoon(async () => expect(await second.end()).toBe(0));
    hosts.splice(0);
  });
});
