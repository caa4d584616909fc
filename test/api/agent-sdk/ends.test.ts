import { describe, expect, it } from '@jest/globals';
import {
  AbortError,
  connect,
  ResultError,
  UnsupportedError,
  type Options,
  type Query,
  type SDKMessage,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import {
  collect,
  collectThrown,
  kindsOf,
  outputsOf,
  resultsOf,
} from '../../support/agent-sdk/read-query.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const LONG = '[[tokens=5000 gap=5]]';
const globIn = (step: number): string => `[[tool=glob {"pattern":"${step}*"} step=${step}]]`;

describe('the end of a query', () => {
  const server = useServer({ environment: { TURNPIKE_PRICES: 'claude-opus-5-5=4/20' } });
  const client = useShared(() => new TurnpikeClient({ url: server.url }));
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const query = (prompt: string, options: Options = {}): Query =>
    sdk.query({ prompt, options: { cwd: server.projectRoot, ...options } });

  async function statusOf(messages: readonly SDKMessage[]): Promise<string | undefined> {
    const { turns } = await client.sessions.turns(`sess_${messages[0]?.session_id}`);
    return turns[0]?.status;
  }

  it('is an error, and then a throw, of a turn that met maxTurns', async () => {
    const prompt = [1, 2, 3].map(globIn).join(' ');
    const { messages, thrown } = await collectThrown(query(prompt, { maxTurns: 2 }));
    // The last reply is one without tools.
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/tool_use',
      'user/tool_result',
      'assistant/tool_use',
      'user/tool_result',
      'assistant/text',
      'result/error_max_turns',
    ]);
    expect(messages.at(-1)).toMatchObject({ is_error: true, num_turns: 3 });
    expect(thrown).toBeInstanceOf(ResultError);
    expect(thrown).toMatchObject({ result: messages.at(-1) });
  });

  it('comes after more calls than the oracle’s limits allow, where the program sets none', async () => {
    const messages = await collect(query('[[loop=60 tool=glob {"pattern":"$i*"}]]'));
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', num_turns: 61 });
  });

  it('is none where the turn ends within maxTurns', async () => {
    const messages = await collect(query(globIn(1), { maxTurns: 2 }));
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', num_turns: 2 });
  });

  it('is an error of a model that refuses', async () => {
    const { messages, thrown } = await collectThrown(query('[[fail=400]]'));
    expect(resultsOf(messages)).toMatchObject([
      { subtype: 'success', is_error: true, result: expect.any(String) },
    ]);
    expect(thrown).toBeInstanceOf(ResultError);
  });

  it('is an error of what maxBudgetUsd does not allow, over all turns of the query', async () => {
    async function* prompts() {
      yield said('[[tokens=20]]');
      yield said('And now?');
    }
    const options = { cwd: server.projectRoot, model: 'claude-opus-5-5', maxBudgetUsd: 0.000_01 };
    const { messages, thrown } = await collectThrown(sdk.query({ prompt: prompts(), options }));
    expect(thrown).toBeInstanceOf(ResultError);
    expect(resultsOf(messages).map(({ subtype }) => subtype)).toEqual([
      'error_max_budget_usd',
      'error_max_budget_usd',
    ]);
    const rich = await collect(query('[[tokens=20]]', { ...options, maxBudgetUsd: 1 }));
    const [result] = resultsOf(rich);
    expect(result?.total_cost_usd).toBeGreaterThan(0);
    expect(Object.keys(result?.modelUsage ?? {})).toEqual(['claude-opus-5-5']);
  });

  it('has the object that the turn was to end with', async () => {
    const schema = {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' } },
      additionalProperties: false,
    };
    const outputFormat = { type: 'json_schema', schema } as const;
    const messages = await collect(query('Where?', { outputFormat }));
    expect(messages.at(-1)).toMatchObject({
      subtype: 'success',
      structured_output: { city: 'text' },
      result: '{"city":"text"}',
    });
    const odd = await collectThrown(query('[[output={"nothing":1}]]', { outputFormat }));
    expect(odd.messages.at(-1)).toMatchObject({ subtype: 'error_max_structured_output_retries' });
  });

  it('comes with interrupt, and the next message of the prompt runs', async () => {
    let go: () => void = () => undefined;
    const interrupted = new Promise<void>((resolve) => (go = resolve));
    async function* prompts() {
      yield said(LONG);
      await interrupted;
      yield said('And now?');
    }
    const running = sdk.query({
      prompt: prompts(),
      options: { cwd: server.projectRoot, includePartialMessages: true },
    });
    const results: unknown[] = [];
    for await (const message of running) {
      if (isDelta(message) && results.length === 0) void running.interrupt();
      if (message.type !== 'result') continue;
      results.push(message.subtype);
      go();
    }
    expect(results).toEqual(['error_during_execution', 'success']);
  });

  it('ends the turn of a loop that is left', async () => {
    const messages: SDKMessage[] = [];
    for await (const message of query(LONG, { includePartialMessages: true })) {
      messages.push(message);
      if (isDelta(message)) break;
    }
    await expectSoon(async () => expect(await statusOf(messages)).toBe('interrupted'));
  });

  it('ends the turn and the query with close', async () => {
    const running = query(LONG, { includePartialMessages: true });
    const messages: SDKMessage[] = [];
    for await (const message of running) {
      messages.push(message);
      if (isDelta(message)) running.close();
    }
    expect(resultsOf(messages)).toEqual([]);
    await expectSoon(async () => expect(await statusOf(messages)).toBe('interrupted'));
  });

  it('ends the turn and throws where it is aborted, also before its first message', async () => {
    const abortController = new AbortController();
    const messages: SDKMessage[] = [];
    const reading = async (): Promise<void> => {
      for await (const message of query(LONG, { abortController, includePartialMessages: true })) {
        messages.push(message);
        if (isDelta(message)) abortController.abort();
      }
    };
    await expect(reading()).rejects.toBeInstanceOf(AbortError);
    await expectSoon(async () => expect(await statusOf(messages)).toBe('interrupted'));
    expect(() => query('Hello', { abortController })).toThrow(AbortError);
  });

  it('has a result for each message of a prompt, in one session', async () => {
    async function* prompts() {
      yield said('[[tokens=3]]');
      yield said([{ type: 'text', text: globIn(1) }]);
    }
    const running = sdk.query({
      prompt: prompts(),
      options: { cwd: server.projectRoot },
    });
    const messages = await collect(running);
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/text',
      'result/success',
      'system/init',
      'assistant/tool_use',
      'user/tool_result',
      'assistant/text',
      'result/success',
    ]);
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
  });

  it('refuses the result of a tool as a message', async () => {
    async function* prompts() {
      yield said([{ type: 'tool_result', tool_use_id: 'a', content: 'b' }]);
    }
    const running = sdk.query({
      prompt: prompts(),
      options: { cwd: server.projectRoot },
    });
    await expect(collect(running)).rejects.toBeInstanceOf(UnsupportedError);
  });

  it('tells deltas that are the message', async () => {
    const prompt = '[[think=5]] [[tool=bash {"command":"true","timeout_ms":5000}]]';
    const options: Options = {
      includePartialMessages: true,
      allowedTools: ['Bash'],
      thinking: { type: 'adaptive', display: 'summarized' },
    };
    const messages = await collect(query(prompt, options));
    const blocks: Record<string, unknown>[] = [];
    const told: unknown[] = [];
    for (const message of messages) {
      if (message.type === 'assistant') told.push(message.message.content[0]);
      if (message.type === 'stream_event') apply(blocks, message.event);
    }
    expect(blocks).toEqual(told);
    const types = told.map((block) => Object(block).type);
    expect(types).toEqual(['thinking', 'tool_use', 'thinking', 'text']);
    expect(told[1]).toMatchObject({ name: 'Bash', input: { command: 'true', timeout: 5000 } });
    expect(outputsOf(messages)).toHaveLength(1);
    const kinds = kindsOf(messages).filter((kind) => !kind.endsWith('delta'));
    expect(kinds.slice(0, 5)).toEqual([
      'system/init',
      'stream_event/message_start',
      'stream_event/content_block_start',
      'assistant/thinking',
      'stream_event/content_block_stop',
    ]);
  });
});

function said(
  content:
    | string
    | { type: 'text'; text: string }[]
    | { type: 'tool_result'; tool_use_id: string; content: string }[],
) {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
}

function isDelta(message: SDKMessage): boolean {
  return message.type === 'stream_event' && message.event.type === 'content_block_delta';
}

/** Builds the blocks that events of the Messages API tell. */
function apply(
  blocks: Record<string, unknown>[],
  event: { type: string } & Record<string, unknown>,
): void {
  if (event.type === 'content_block_start') blocks.push({ ...Object(event['content_block']) });
  const block = blocks.at(-1);
  if (block === undefined || event.type !== 'content_block_delta') return;
  const delta = Object(event['delta']) as Record<string, string>;
  if (delta['type'] === 'text_delta') block['text'] += delta['text'] ?? '';
  if (delta['type'] === 'thinking_delta') block['thinking'] += delta['thinking'] ?? '';
  if (delta['type'] !== 'input_json_delta') return;
  // The rehearsal sends an input in one piece.
  block['input'] = JSON.parse(delta['partial_json'] ?? '');
}
