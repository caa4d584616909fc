import { describe, expect, it } from '@jest/globals';
import type { HarnessEvent } from '../turn/follow-turn.js';
import type { ChatMessage } from './chat-message.js';
import { emptyAnswer, foldAnswer } from './fold-answer.js';

/** The answer after some events. Only what the fold takes of them is there. */
function fold(...events: [event: string, data: object][]): ChatMessage {
  return events.reduce(
    (answer, [event, data]) => foldAnswer(answer, { id: '', event, data } as HarnessEvent),
    emptyAnswer('turn_1'),
  );
}

const ask = (approvalId: string, toolUseId: string, name: string) =>
  [
    'approval:request',
    { approvalId, toolUseId, name, input: { a: 1 }, kind: 'tool', reason: '' },
  ] as const;

describe('the answer of a turn', () => {
  it('does not have what a worker said that died', () => {
    const answer = fold(
      ['step:start', { step: 1 }],
      ['chat:delta', { step: 1, text: 'One.' }],
      ['step:end', { step: 1 }],
      ['step:start', { step: 2 }],
      ['chat:delta', { step: 2, text: 'Tw' }],
      ['tool:request', { step: 2, toolUseId: 'c1', name: 'read' }],
      ['turn:recovering', {}],
      ['step:discard', { step: 2 }],
    );
    expect(answer).toMatchObject({ state: 'recovering' });
    expect(answer.parts).toEqual([{ type: 'text', text: 'One.', step: 1 }]);
  });

  it('has the input of a call as it was written, where the call did not start', () => {
    const written: [string, object][] = [
      ['tool:request', { step: 1, toolUseId: 'c1', name: 'read' }],
      ['tool:args', { toolUseId: 'c1', json: '{"a"' }],
      ['tool:args', { toolUseId: 'c1', json: ':1}' }],
    ];
    expect(fold(...written).parts).toMatchObject([{ json: '{"a":1}', input: undefined }]);
    const [call] = fold(...written, ['step:end', { step: 1 }]).parts;
    expect(call).toMatchObject({ status: 'requested', input: { a: 1 } });
    expect(call).not.toHaveProperty('json');
  });

  it('asks what subagents ask, and has no word of theirs', () => {
    const [, question] = ask('appr_1', 'c2', 'write');
    const asked: [string, object][] = [
      ['tool:request', { step: 1, toolUseId: 'c1', name: 'task' }],
      ['subagent:start', { toolUseId: 'c1' }],
      ['subagent:chat:delta', { step: 1, text: 'Mine' }],
      ['subagent:tool:request', { step: 1, toolUseId: 'c2', name: 'write' }],
      ['subagent:subagent:approval:request', question],
    ];
    const calls = fold(...asked).parts;
    expect(calls).toMatchObject([{ name: 'task' }, { name: 'write', status: 'waiting' }]);
    const ended = fold(
      ...asked,
      ['subagent:approval:resolve', { approvalId: 'appr_1', toolUseId: 'c2' }],
      ['subagent:tool:result', { toolUseId: 'c2', status: 'success', output: 'Done' }],
    );
    expect(ended.parts).toMatchObject([{}, { name: 'write', status: 'success', output: 'Done' }]);
  });

  it('waits until all questions have an answer', () => {
    const [first, second] = [ask('appr_1', 'c1', 'write'), ask('appr_2', 'c2', 'edit')];
    const answered = (...ids: string[]) =>
      fold(
        [...first],
        [...second],
        ['turn:parked', {}],
        ...ids.map((id): [string, object] => [
          'approval:resolve',
          { approvalId: `appr_${id}`, toolUseId: `c${id}`, input: { b: 2 } },
        ]),
      );
    expect(answered()).toMatchObject({ state: 'waiting' });
    expect(answered('1')).toMatchObject({ state: 'waiting', parts: [{ input: { b: 2 } }, {}] });
    expect(answered('1', '2')).toMatchObject({ state: 'running' });
  });

  it('has no use for an event that it does not know', () => {
    const answer = fold(['step:start', { step: 1 }]);
    expect(foldAnswer(answer, { id: '', event: 'news', data: {} } as unknown as HarnessEvent)).toBe(
      answer,
    );
  });
});
