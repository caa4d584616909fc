import { describe, expect, it } from '@jest/globals';
import type { HarnessEvent } from '../client/turnpike-client.js';
import { TurnFold } from './fold-turn.js';
import type { SDKResultMessage } from './sdk-messages.js';
import { EndFold, toResult } from './turn-end.js';

const sessionId = 'sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11';
const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };

function endOf(events: [string, object][]): SDKResultMessage | undefined {
  const fold = new TurnFold({ turnId: 'turn_1', sessionId, partial: false });
  const ending = new EndFold();
  for (const [index, [event, data]] of events.entries()) {
    const given = { event, data, id: `turn_1:1.${index + 1}` } as HarnessEvent;
    fold.take(given);
    const end = ending.take(given);
    const total = { costUsd: 0, models: {} };
    if (end !== undefined) return toResult(end, { fold, sessionId, total });
  }
  return undefined;
}

const text = (said: string): [string, object] => ['chat:delta', { text: said, step: 1 }];
const ended = (outcome: string): [string, object] => [
  'turn:end',
  { outcome, reason: 'x', usage, durationMs: 1 },
];

describe('the result of a turn', () => {
  it('is the JSON of an object that was asked for, however the model spaced it', () => {
    const output = { city: 'Ulm', people: 3 };
    const said = text('{ "city": "Ulm",\n "people": 3 }');
    const result = endOf([
      ['step:start', { step: 1 }],
      said,
      ['output:final', { output }],
      ended('completed'),
    ]);
    expect(result).toMatchObject({
      result: '{"city":"Ulm","people":3}',
      structured_output: output,
    });
  });

  it('says whether the model answered, or its calls ran, when it was interrupted', () => {
    const begun: [string, object][] = [['step:start', { step: 1 }], text('One and')];
    const call: [string, object][] = [
      ['tool:request', { toolUseId: 'a', name: 'bash', step: 1 }],
      ['tool:start', { toolUseId: 'a', name: 'bash', input: {} }],
    ];
    const next: [string, object][] = [['step:start', { step: 2 }], text('Two')];
    const reasons = [begun, [...begun, ...call], [...begun, ...call, ...next]].map(
      (events) => endOf([...events, ended('interrupted')])?.terminal_reason,
    );
    expect(reasons).toEqual(['aborted_streaming', 'aborted_tools', 'aborted_streaming']);
  });
});
