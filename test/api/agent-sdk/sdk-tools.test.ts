import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  connect,
  createSdkMcpServer,
  tool,
  UnsupportedError,
  type Options,
  type PermissionResult,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, kindsOf, outputsOf, resultsOf } from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('tools of the program of a query', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const called: unknown[] = [];
  const shape = {
    city: z.string(),
    days: z.number().default(2),
    unit: z.enum(['C', 'F']).optional(),
  };
  const weather = tool('weather', 'Tells the weather.', shape, async (input) => {
    called.push(input);
    if (input.city === 'Atlantis') throw new Error('It sank.');
    return { content: [{ type: 'text', text: `Sun in ${input.city} for ${input.days} days` }] };
  });
  const mcpServers = { sky: createSdkMcpServer({ name: 'sky', tools: [weather] }) };
  const asking = (input: object): string => `[[tool=mcp__sky__weather ${JSON.stringify(input)}]]`;

  const run = async (prompt: string, options: Options = {}) => {
    called.length = 0;
    const messages = await collect(
      sdk.query({ prompt, options: { cwd: server.projectRoot, mcpServers, ...options } }),
    );
    return { messages, outputs: outputsOf(messages) };
  };
  const allowedTools = ['mcp__sky__weather'];

  it('run in it, with parsed input, where they are allowed', async () => {
    const { messages, outputs } = await run(asking({ city: 'Rome' }), { allowedTools });
    expect(outputs).toEqual(['Sun in Rome for 2 days']);
    expect(called).toEqual([{ city: 'Rome', days: 2, unit: undefined }]);
    expect(messages[0]).toMatchObject({
      tools: expect.arrayContaining(['mcp__sky__weather']),
      mcp_servers: [{ name: 'sky', status: 'connected' }],
    });
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/tool_use',
      'user/tool_result',
      'assistant/text',
      'result/success',
    ]);
  });

  it('are allowed with their server', async () => {
    const { outputs } = await run(asking({ city: 'Oslo' }), { allowedTools: ['mcp__sky'] });
    expect(outputs).toEqual(['Sun in Oslo for 2 days']);
  });

  it('fail with what they throw, and with what is wrong with their input', async () => {
    const thrown = await run(asking({ city: 'Atlantis' }), { allowedTools });
    expect(thrown.outputs).toEqual([expect.stringContaining('It sank.')]);
    expect(thrown.messages[2]).toMatchObject({
      message: { content: [{ type: 'tool_result', is_error: true }] },
    });
    const wrong = await run(asking({ city: 'Rome', unit: 'K' }), { allowedTools });
    expect(wrong.outputs).toEqual([expect.stringContaining('unit')]);
    expect(called).toEqual([]);
  });

  it('are asked about, denied by rules, and denied where nobody is asked', async () => {
    const allow = (_name: string, input: Record<string, unknown>): PermissionResult => ({
      behavior: 'allow',
      updatedInput: { ...input, days: 7 },
    });
    const asked = await run(asking({ city: 'Rome' }), { canUseTool: allow });
    expect(asked.outputs).toEqual(['Sun in Rome for 7 days']);
    const denied = await run(asking({ city: 'Rome' }), {
      canUseTool: allow,
      disallowedTools: ['mcp__sky__weather'],
    });
    expect(denied.outputs).toEqual([expect.stringContaining('There is no tool')]);
    const nobody = await run(asking({ city: 'Rome' }), { permissionMode: 'dontAsk' });
    expect(resultsOf(nobody.messages)).toMatchObject([
      { permission_denials: [{ tool_name: 'mcp__sky__weather' }] },
    ]);
    expect(called).toEqual([]);
  });

  it('answer questions to the person', async () => {
    const questions = [
      {
        question: 'Which?',
        header: 'Pick',
        multiSelect: false,
        options: [
          { label: 'A', description: 'a' },
          { label: 'B', description: 'b' },
        ],
      },
    ];
    const suggested: unknown[] = [];
    const { outputs } = await run(`[[tool=AskUserQuestion ${JSON.stringify({ questions })}]]`, {
      tools: ['AskUserQuestion'],
      canUseTool: (_name, input, { suggestions }) => {
        suggested.push(suggestions);
        return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which?': 'B' } } };
      },
    });
    expect(outputs).toEqual(['Which?: B']);
    // The next question is another one.
    expect(suggested).toEqual([[]]);
  });

  it('need schemas that make JSON Schema, and servers of this entry', () => {
    const old = {
      '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) },
    } as const;
    const nothing = async () => ({ content: [] });
    expect(() => tool('old', 'Of zod 3.', { a: old }, nothing)).toThrow(UnsupportedError);
    const foreign = { type: 'sdk', name: 'a', instance: {} };
    const options = { mcpServers: { a: foreign } } as unknown as Options;
    expect(() => sdk.query({ prompt: 'Hi', options })).toThrow(UnsupportedError);
  });
});
