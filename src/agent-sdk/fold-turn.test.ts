import { describe, expect, it } from '@jest/globals';
import type { HarnessEvent } from '../client/turnpike-client.js';
import { TurnFold } from './fold-turn.js';
import type { SDKMessage } from './sdk-messages.js';

const sessionId = 'sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11';
const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 1 };

/** Events with ids by their place; a prefix tells attempts apart. */
function fold(events: [string, object][], partial = false): SDKMessage[] {
  const turn = new TurnFold({ turnId: 'turn_1', sessionId, partial });
  return events.flatMap(([event, data], index) =>
    turn.take({ event, data, id: `turn_1:1.${index + 1}` } as HarnessEvent),
  );
}

const begun: [string, object] = ['step:start', { step: 1 }];
const text = (said: string): [string, object] => ['chat:delta', { text: said, step: 1 }];
const call = (id: string, name: string, input: object): [string, object][] => [
  ['tool:request', { toolUseId: id, name, step: 1 }],
  ['tool:args', { toolUseId: id, json: JSON.stringify(input) }],
];
const result = (id: string, output: string, status = 'success'): [string, object] => [
  'tool:result',
  { toolUseId: id, name: 'glob', output, status, ok: status === 'success', durationMs: 1 },
];
const ended = (stopReason: string): [string, object] => [
  'step:end',
  { step: 1, stopReason, usage },
];
const blocks = (messages: readonly SDKMessage[]): unknown[] =>
  messages.flatMap((message) =>
    message.type === 'assistant' || message.type === 'user' ? [message.message.content[0]] : [],
  );

describe('the messages of a turn', () => {
  it.each([
    ['overloaded', { error_status: 529, error: 'overloaded' }],
    ['rate-limited', { error_status: 429, error: 'rate_limit' }],
    ['unavailable', { error_status: null, error: 'server_error' }],
  ])('say that a model is asked again: %s', (reason, expected) => {
    const metadata = { reason, afterMs: 750, retry: 1, maxRetries: 2 };
    const [message] = fold([['system:notice', { kind: 'model-retry', metadata }]]);
    expect(message).toMatchObject({
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 2,
      retry_delay_ms: 750,
      ...expected,
    });
  });

  it('have one block each, of one reply one id, and its tokens where they are known', () => {
    const messages = fold([
      ['session:init', { model: 'claude' }],
      begun,
      ['thinking:delta', { text: 'Hm', step: 1 }],
      ['thinking:delta', { text: 'm.', step: 1 }],
      text('One, '),
      text('two.'),
      ended('end_turn'),
    ]);
    expect(blocks(messages)).toEqual([
      { type: 'thinking', thinking: 'Hmm.', signature: '' },
      { type: 'text', text: 'One, two.' },
    ]);
    const ids = messages.map((one) => (one.type === 'assistant' ? one.message.id : ''));
    expect(new Set(ids).size).toBe(1);
    expect(messages[1]).toMatchObject({
      session_id: sessionId.slice('sess_'.length),
      parent_tool_use_id: null,
      message: {
        model: 'claude',
        stop_reason: null,
        usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 },
      },
    });
  });

  it('are the same however texts were cut into events', () => {
    const whole = fold([begun, text('One, two.'), ended('end_turn')]);
    const cut = fold([begun, text('One'), text(', two.'), ended('end_turn')]);
    expect(cut).toEqual(whole);
  });

  it('have all calls before the first result, and results in the order of the calls', () => {
    const messages = fold([
      begun,
      ...call('a', 'glob', { pattern: '1' }),
      ...call('b', 'glob', { pattern: '2' }),
      ['tool:start', { toolUseId: 'a', name: 'glob', input: {} }],
      ['tool:start', { toolUseId: 'b', name: 'glob', input: {} }],
      result('b', 'second'),
      result('a', 'first'),
      ended('tool_use'),
    ]);
    expect(blocks(messages)).toEqual([
      { type: 'tool_use', id: 'a', name: 'Glob', input: { pattern: '1' } },
      { type: 'tool_use', id: 'b', name: 'Glob', input: { pattern: '2' } },
      { type: 'tool_result', tool_use_id: 'a', content: 'first' },
      { type: 'tool_result', tool_use_id: 'b', content: 'second' },
    ]);
  });

  it('tell a result that waits for one that never comes, at the end of the step', () => {
    const messages = fold([
      begun,
      ...call('a', 'glob', {}),
      ...call('b', 'glob', {}),
      result('b', 'second'),
      ended('interrupted'),
    ]);
    expect(blocks(messages).at(-1)).toMatchObject({ tool_use_id: 'b' });
  });

  it('say that the turn was interrupted, unless a hook of the program ended it', () => {
    const interruption: [string, object] = ['turn:end', { outcome: 'interrupted' }];
    expect(fold([begun, ended('interrupted'), interruption])).toMatchObject([
      { type: 'user', message: { content: [{ type: 'text' }] } },
    ]);
    const turn = new TurnFold({ turnId: 'turn_1', sessionId, partial: false });
    turn.isStoppedByHook = true;
    const [event, data] = interruption;
    expect(turn.take({ event, data, id: 'turn_1:1.1' } as HarnessEvent)).toEqual([]);
    expect(turn.results).toBe(0);
  });

  it('say which messages they take the place of, once', () => {
    const messages = fold([
      begun,
      text('Lost.'),
      ...call('a', 'glob', {}),
      ['step:discard', { step: 1 }],
      begun,
      text('Kept.'),
      ...call('b', 'glob', {}),
      ended('tool_use'),
    ]);
    const [lost, kept, last] = messages;
    expect(blocks(messages)).toMatchObject([
      { text: 'Lost.' },
      { text: 'Kept.' },
      { type: 'tool_use', id: 'b' },
    ]);
    expect(kept).toMatchObject({ supersedes: [lost?.uuid] });
    expect(last).not.toHaveProperty('supersedes');
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(3);
  });

  it('tell of a denied call what was denied, and who was not asked', () => {
    const turn = new TurnFold({ turnId: 'turn_1', sessionId, partial: false });
    const events: [string, object][] = [
      begun,
      ...call('a', 'bash', { command: 'ls', timeout_ms: 5 }),
      result('a', 'permission denied', 'denied'),
    ];
    const messages = events.flatMap(([event, data], index) =>
      turn.take({ event, data, id: `turn_1:1.${index}` } as HarnessEvent),
    );
    expect(messages.map((one) => ('subtype' in one ? one.subtype : one.type))).toEqual([
      'assistant',
      'permission_denied',
      'user',
    ]);
    expect(turn.denials).toEqual([
      { tool_name: 'Bash', tool_use_id: 'a', tool_input: { command: 'ls', timeout: 5 } },
    ]);
    expect(turn.results).toBe(1);
  });

  it('leave out calls that the provider runs, and inputs that are no JSON', () => {
    const messages = fold([
      begun,
      ['tool:request', { toolUseId: 's', name: 'web_search', step: 1, by: 'provider' }],
      ['tool:request', { toolUseId: 'a', name: 'glob', step: 1 }],
      ['tool:args', { toolUseId: 'a', json: '{"pattern":' }],
      ended('max_tokens'),
    ]);
    expect(blocks(messages)).toEqual([{ type: 'tool_use', id: 'a', name: 'Glob', input: {} }]);
  });

  it('tell a subagent’s messages with the call that it works for', () => {
    const own = { childTurnId: 'turn_2', parentToolUseId: 't' };
    const messages = fold([
      begun,
      ...call('t', 'task', { agent: 'helper', prompt: 'Look.' }),
      ['subagent:start', { childTurnId: 'turn_2', toolUseId: 't', agent: 'helper' }],
      ['subagent:step:start', { ...own, step: 1 }],
      ['subagent:chat:delta', { ...own, text: 'Found.', step: 1 }],
      ['subagent:step:end', { ...own, step: 1, stopReason: 'end_turn', usage }],
      ['subagent:end', { childTurnId: 'turn_2', toolUseId: 't', outcome: 'completed', usage }],
      result('t', 'Found.'),
    ]);
    const kinds = messages.map((one) => ('subtype' in one ? one.subtype : one.type));
    expect(kinds).toEqual(['assistant', 'task_started', 'assistant', 'task_notification', 'user']);
    expect(messages[0]).toMatchObject({
      message: {
        content: [{ name: 'Agent', input: { subagent_type: 'helper', prompt: 'Look.' } }],
      },
    });
    expect(messages[2]).toMatchObject({ parent_tool_use_id: 't' });
  });
});
