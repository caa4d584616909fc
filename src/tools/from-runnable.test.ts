import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { describe, expect, it } from '@jest/globals';
import { fromRunnable } from './from-runnable.js';
import type { ToolCall } from './tool.js';

const traits = { effect: 'read', retry: 'safe' } as const;
const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const;

function runnable(run: Parameters<typeof betaTool>[0]['run']): BetaRunnableTool {
  return betaTool({ name: 'shout', description: 'Shouts', inputSchema, run });
}

function callOf(signal = new AbortController().signal): ToolCall {
  return { callId: 'call_7', idempotencyKey: 'turn_1:call_7', signal, progress: () => undefined };
}

describe('fromRunnable', () => {
  it('keeps name, description and schema', () => {
    const definition = fromRunnable(() => runnable(() => ''), traits);
    expect(definition).toMatchObject({
      name: 'shout',
      description: 'Shouts',
      inputSchema,
      ...traits,
    });
  });

  it('parses the input, and passes the call and the signal on', async () => {
    const seen: unknown[] = [];
    const shout: BetaRunnableTool = {
      ...runnable(() => ''),
      parse: (input) => ({ parsed: input }),
      run: (input, context) => {
        seen.push(input, context?.toolUse, context?.signal);
        return 'HI';
      },
    };
    const call = callOf();
    const output = await fromRunnable(() => shout, traits)
      .open({ workdir: '/' })
      .run({ text: 'hi' }, call);
    expect(output).toBe('HI');
    expect(seen[0]).toEqual({ parsed: { text: 'hi' } });
    expect(seen[1]).toEqual({
      type: 'tool_use',
      id: 'call_7',
      name: 'shout',
      input: { text: 'hi' },
    });
    expect(seen[2]).toBe(call.signal);
  });

  it('flattens blocks to text and names the others', async () => {
    const shout = runnable(() => [
      { type: 'text', text: 'one' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'text', text: 'two' },
    ]);
    const output = await fromRunnable(() => shout, traits)
      .open({ workdir: '/' })
      .run({}, callOf());
    expect(output).toBe('one\n[image: image/png]\n[image]\n[document]\ntwo');
  });

  it('passes a tool error on as a word for the model, anything else as it is', async () => {
    const told = runnable(() => {
      throw new ToolError([{ type: 'text', text: 'not today' }]);
    });
    const fault = new TypeError('x is not a function');
    const faulty = runnable(() => {
      throw fault;
    });
    const run = (one: BetaRunnableTool) =>
      fromRunnable(() => one, traits)
        .open({ workdir: '/' })
        .run({}, callOf());
    await expect(run(told)).rejects.toMatchObject({ name: 'ToolFailure', message: 'not today' });
    await expect(run(faulty)).rejects.toBe(fault);
  });

  it("rejects with the signal's reason when the tool makes an error of the abort", async () => {
    const turn = new AbortController();
    const reason = new Error('cancelled');
    const shout = runnable(() => {
      turn.abort(reason);
      throw new ToolError('shout: aborted');
    });
    const running = fromRunnable(() => shout, traits)
      .open({ workdir: '/' })
      .run({}, callOf(turn.signal));
    await expect(running).rejects.toBe(reason);
  });

  it("refuses the provider's own typed tools", () => {
    const typed: BetaRunnableTool = {
      type: 'bash_20250124',
      name: 'bash',
      parse: () => undefined,
      run: () => '',
    };
    expect(() => fromRunnable(() => typed, traits)).toThrow('Tool bash has no input_schema');
  });
});

describe('closing', () => {
  const closed: string[] = [];
  const make = (workdir: string): BetaRunnableTool => ({
    ...runnable(() => workdir),
    close: () => void closed.push(workdir),
  });

  it('closes the tool of its turn, and no other', async () => {
    const definition = fromRunnable(({ workdir }) => make(workdir), traits);
    const first = definition.open({ workdir: '/a' });
    const second = definition.open({ workdir: '/b' });
    expect(await first.run({}, callOf())).toBe('/a');
    await second.close?.();
    expect(closed).toEqual(['/b']);
  });
});
