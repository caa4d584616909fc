import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../test/golden/golden.js';
import { initialTurn, foldTurn, foldTurnEvents, type FoldedTurn } from './fold-turn.js';
import type { TurnEvent } from './turn-event.js';

const turns = new Map(recordedTurns());
const foldOf = (name: string): FoldedTurn => foldTurnEvents(turns.get(name) ?? []);

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

describe('foldTurn', () => {
  it.each([...turns])('folds %s to an end, and changes nothing it was given', (_name, events) => {
    let view = deepFreeze(initialTurn);
    for (const event of events) view = deepFreeze(foldTurn(view, deepFreeze(event)));
    expect(view.phase).toBe('ended');
  });

  it('shows the input and output of tools', () => {
    const [step] = foldOf('tools-thinking-sources').steps;
    expect(step).toMatchObject({ thinking: 'Let me see.', stopReason: 'tool_use' });
    expect(step?.tools).toEqual([
      {
        callId: 'c1',
        name: 'read',
        argsJson: '{"file_path":"a.md"}',
        input: { file_path: 'a.md' },
        status: 'success',
        output: '# A',
        durationMs: 5100,
      },
    ]);
  });

  it('forgets a discarded step, and keeps the one that took its place', () => {
    const view = foldOf('recovered-after-a-crash');
    expect(view.steps.map((step) => [step.step, step.text])).toEqual([
      [1, ''],
      [2, 'I will check.'],
    ]);
    expect(view.attempt).toBe(3);
  });

  it('keeps the text of a turn that was cut or failed', () => {
    expect(foldOf('failed-mid-stream')).toMatchObject({
      failure: { errorType: 'SDK_FAILURE', message: 'The provider is overloaded' },
      end: { outcome: 'failed', exitCode: 1, text: 'Half an ans' },
    });
  });

  it('collects notices, rejected files, approvals and subagents', () => {
    expect(foldOf('limited-and-everything-else')).toMatchObject({
      position: 3,
      notices: [{ kind: 'options-ignored' }, { kind: 'limit' }],
      rejectedAttachments: [{ name: 'big.pdf' }],
      pendingApprovals: [],
      subagents: [{ agent: 'REVIEWER', outcome: 'completed' }],
    });
  });

  it('is parked until an approval is resolved, and has the input of calls that a client runs', () => {
    const events = turns.get('parked-for-people') ?? [];
    const parked = events.findIndex(({ type }) => type === 'turn.parked');
    expect(foldTurnEvents(events.slice(0, parked + 1))).toMatchObject({
      phase: 'parked',
      pendingApprovals: ['appr_1', 'appr_2'],
      steps: [
        { tools: [{ name: 'pick_color', status: 'requested', input: { title: 'Roof' } }, {}] },
      ],
    });
    expect(foldTurnEvents(events.slice(0, parked + 2))).toMatchObject({
      phase: 'running',
      pendingApprovals: ['appr_2'],
    });
    expect(foldOf('parked-for-people').subagents).toMatchObject([
      { agent: 'WRITER', view: { phase: 'ended', pendingApprovals: [] } },
    ]);
  });

  it.each<[TurnEvent['type'], object, string]>([
    ['text.delta', { step: 4, text: 'x' }, 'step 4'],
    ['tool.ended', { callId: 'c9', name: 'x', status: 'error', output: '', durationMs: 0 }, 'c9'],
  ])('refuses a %s that has no beginning', (type, rest, named) => {
    const event = { type, ...rest, attempt: 1, seq: 1, at: '' } as TurnEvent;
    expect(() => foldTurn(initialTurn, event)).toThrow(named);
  });
});
