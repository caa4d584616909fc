import { describe, expect, it } from '@jest/globals';
import { jsonSchema, tool as aiTool } from 'ai';
import * as z from 'zod';
import { ToolFailure as ServerFailure } from '../tool.js';
import { guardTool } from '../extensions/guards.js';
import type { ExtensionTool } from '../extensions/extend.js';
import { testTurn } from '../../../test/support/tools/test-turn.js';
import { defineTool, fromAiSdkTool, ToolFailure } from './define-tool.js';

const orders = z.object({
  id: z.string().regex(/^\d+$/),
  lines: z.number().int().default(1),
});

/** Runs a tool as the server does, and collects what the log would have. */
async function run(tool: ExtensionTool, input: Record<string, unknown>) {
  const faults: unknown[] = [];
  const guarded = guardTool(tool, (_name, error) => faults.push(error));
  const { signal } = new AbortController();
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  const output = await guarded
    .open({ turn: testTurn, workdir: '/srv/project' })
    .run(input as never, call)
    .catch((error: unknown) => error);
  return { output, faults };
}

describe('a tool that is defined with a schema', () => {
  it('lacks what its definition lacks, for the server to name it', () => {
    const description = 'Looks orders up.';
    const parts: unknown[] = [
      { description, input: orders },
      { description, run: () => '' },
    ];
    const [idle, open] = parts.map((part) => defineTool(part as Parameters<typeof defineTool>[0]));
    expect(idle?.run).toBeUndefined();
    expect(open?.inputSchema).toBeUndefined();
  });

  it('shows the model the schema of what it may send, and runs with what was parsed', async () => {
    const tool = defineTool({
      name: 'orders',
      description: 'Looks orders up.',
      input: orders,
      effect: 'read',
      retry: 'safe',
      run: ({ id, lines }, { principal, turnId }) => ({ id, lines, principal, turnId }),
    });
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['id'] });
    const { output } = await run(tool, { id: '7' });
    expect(JSON.parse(output as string)).toEqual({
      id: '7',
      lines: 1,
      principal: 'ada',
      turnId: 'turn_1',
    });
  });

  it('tells the model by path what is wrong with its input', async () => {
    const tool = defineTool({ name: 'a', description: 'A.', input: orders, run: () => 'never' });
    const { output, faults } = await run(tool, { id: 'x', lines: 'two' });
    expect(output).toBeInstanceOf(ServerFailure);
    expect((output as Error).message).toMatch(/^The input is not valid: id: .*; lines: /);
    expect(faults).toEqual([]);
  });

  it.each([
    ['text', 'done at nine', 'done at nine'],
    ['JSON', [1, { a: null }], '[1,{"a":null}]'],
    ['a number', 7, '7'],
    ['nothing', undefined, 'done'],
  ])('takes %s as its result', async (_kind, result, shown) => {
    const tool = defineTool({
      name: 'a',
      description: 'A.',
      input: z.object({}),
      run: () => result,
    });
    expect((await run(tool, {})).output).toBe(shown);
  });

  it('gives the model pictures', async () => {
    const picture = Buffer.from('iVBORw0KGgo=', 'base64');
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image', data: picture },
    ] as const;
    const tool = defineTool({
      name: 'a',
      description: 'A.',
      input: z.object({}),
      run: () => ({ content }),
    });
    expect((await run(tool, {})).output).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'file', bytes: picture },
    ]);
  });

  it('passes a failure of its own on, and logs any other error', async () => {
    const failing = (error: Error) =>
      run(
        defineTool({
          name: 'a',
          description: 'A.',
          input: z.object({}),
          run: () => {
            throw error;
          },
        }),
        {},
      );
    const own = await failing(new ToolFailure('Order 7 was cancelled.'));
    expect([own.output, own.faults]).toEqual([new ServerFailure('Order 7 was cancelled.'), []]);
    const other = new Error('connect ECONNREFUSED');
    expect((await failing(other)).faults).toEqual([other]);
  });

  it('takes a JSON Schema too, and refuses a schema that makes none', () => {
    const input = { type: 'object', properties: {} } as const;
    const tool = defineTool({ description: 'A.', input, run: () => 'a' });
    expect(tool.inputSchema).toBe(input);
    const mini = {
      '~standard': { version: 1, vendor: 'mini', validate: (value: unknown) => ({ value }) },
    } as const;
    expect(() => defineTool({ name: 'a', description: 'A.', input: mini, run: () => 'a' })).toThrow(
      'a: this version of mini makes no JSON Schema',
    );
  });
});

describe('a tool of the AI SDK', () => {
  const input = z.object({ city: z.string() });

  it.each([
    ['a schema of zod', input],
    ['a JSON Schema', jsonSchema<{ city: string }>(z.toJSONSchema(input) as never)],
  ])('runs with %s, and with its id and signal', async (_kind, inputSchema) => {
    const weather = aiTool({
      description: 'The weather.',
      inputSchema,
      execute: ({ city }, { toolCallId, abortSignal }) => ({
        city,
        toolCallId,
        isAborted: abortSignal?.aborted,
      }),
    });
    const { output } = await run(fromAiSdkTool('weather', weather, { effect: 'read' }), {
      city: 'Oslo',
    });
    expect(JSON.parse(output as string)).toEqual({
      city: 'Oslo',
      toolCallId: 'c',
      isAborted: false,
    });
  });

  it('is refused where a client runs it, where it asks for approval by itself, and without one text', () => {
    const asking = aiTool({ inputSchema: input, needsApproval: true, execute: () => 'a' });
    expect(() => fromAiSdkTool('w', asking)).toThrow('write a rule `ask: ["w"]`');
    expect(() => fromAiSdkTool('w', aiTool({ inputSchema: input }))).toThrow('w has no execute');
    const described = aiTool({ description: () => 'A.', inputSchema: input, execute: () => 'a' });
    expect(() => fromAiSdkTool('w', described)).toThrow('give it one text');
  });
});
