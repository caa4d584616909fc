import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ModelMessage, UserPart } from '../../provider/model-types.js';
import { collectAndFinalize } from '../../../test/support/collect-garbage.js';
import {
  build,
  call,
  notice,
  success,
  textPart,
  turn,
  type Given,
} from '../../../test/support/turn/transcripts.js';
import { validateRequest } from '../../../rehearsal/accept-request.js';
import type { CallResult } from '../state/attempt.js';
import { buildMessages, keepThinking } from './build-messages.js';
import type { ThinkingStep } from './turn-messages.js';

describe('buildMessages', () => {
  it('keeps nothing of files for later requests', async () => {
    const last = turn({ turnId: 'turn_2' });
    const shown = (() => {
      const image: UserPart = { type: 'image', mediaType: 'image/png', base64: 'iVBO' };
      const result = { ...success, shown: [{ ...image }] };
      const first = turn({
        userParts: [image],
        steps: [{ parts: [call('a')] }, { parts: [textPart('Hi')] }],
        results: new Map([['a', result]]),
      });
      build([first, last, turn({ turnId: 'turn_3' })]);
      return [image, ...result.shown].map((part) => new WeakRef(part));
    })();
    await collectAndFinalize();
    expect(shown.map((part) => part.deref())).toEqual([undefined, undefined]);
    expect(last.turnId).toBe('turn_2');
  });

  it.each([false, true])(
    'builds only the turns with files anew: thinking is bound: %s',
    (binds) => {
      const model = { takesSystemMessages: true, bindsThinking: binds, toolSearch: true };
      const ended = (turnId: string, more: Given = {}) =>
        turn({ turnId, status: 'completed', steps: [{ parts: [textPart('Hi')] }], ...more });
      const plain = ['turn_1', 'turn_3', 'turn_4'].map((turnId) => ended(turnId));
      const [first, ...others] = plain;
      if (first === undefined) throw new Error('No turns');
      const messagesWith = (base64: string): readonly ModelMessage[] => {
        const image: UserPart = { type: 'image', mediaType: 'image/png', base64 };
        const turns = [first, ended('turn_2', { userParts: [image] }), ...others, turn()];
        return buildMessages(turns, { model, system: '', tools: [] }).messages;
      };
      const before = messagesWith('iVBO');
      const same = messagesWith('iVBO');
      const [other, kept] = [
        messagesWith('R0lG'),
        (index: number) => same[index] === before[index],
      ];
      // The message of the turn with the file, its reply, and the message that is new.
      const anew = same.flatMap((_message, index) => (kept(index) ? [] : index));
      expect(anew).toEqual([2, 3, 8]);
      // What stands before is part of what thinking is bound to.
      expect(other.slice(4, 8).every((message, index) => message === before[index + 4])).toBe(
        !binds,
      );
      expect(other.slice(4)).toEqual(before.slice(4));
    },
  );

  it('keeps one copy of a conversation, also where the model changes', async () => {
    const steps = [{ parts: [textPart('Hi')] }];
    const [one, two, three] = ['turn_1', 'turn_2', 'turn_3'].map((turnId) =>
      turn({ turnId, steps }),
    );
    if (one === undefined || two === undefined || three === undefined) throw new Error('No turns');
    const copy = (() => new WeakRef(build([one, two, turn()], true)[0] ?? {}))();
    build([one, two, three, turn()], false);
    await collectAndFinalize();
    expect(copy.deref()).toBeUndefined();
    expect([one, two, three]).toHaveLength(3);
  });

  it('begins with what the user said', () => {
    expect(build([turn()])).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]);
  });

  it('only ever adds: what was sent before a step, a notice or a crash is sent again', () => {
    const results = new Map<string, CallResult>([
      ['a', success],
      ['b', success],
    ]);
    const notices = [notice(0, 'zero'), notice(1, 'one'), notice(2, 'two')];
    const steps = [{ parts: [call('a')] }, { parts: [call('b')] }, { parts: [textPart('done')] }];
    for (const takes of [true, false]) {
      const sent = [0, 1, 2, 3].map((count) =>
        build(
          [turn({ steps: steps.slice(0, count), results, notices: notices.slice(0, count + 1) })],
          takes,
        ),
      );
      for (const [index, messages] of sent.entries()) {
        const next = sent[index + 1] ?? messages;
        expect(JSON.stringify(next.slice(0, messages.length))).toBe(JSON.stringify(messages));
      }
    }
  });

  const anyStep = fc
    .tuple(fc.string(), fc.integer({ min: 0, max: 3 }))
    .map(([text, calls]) => ({ text, calls }));
  const anyTurn = fc.record({
    steps: fc.array(anyStep, { maxLength: 5 }),
    status: fc.constantFrom('completed', 'interrupted', 'failed', 'limited'),
    answered: fc.integer({ min: 0, max: 9 }),
  });
  const transcripts = fc.array(anyTurn, { maxLength: 4 }).map((turns) =>
    turns.map((given, t) => {
      const steps = given.steps.map(({ text, calls }, s) => ({
        parts: [
          textPart(text.trim() === '' ? 'ok' : text),
          ...Array.from({ length: calls }, (_, c) => call(`t${t}s${s}c${c}`)),
        ],
      }));
      const ids = steps.flatMap((step) =>
        step.parts.flatMap((p) => (p.type === 'tool_use' ? [p.id] : [])),
      );
      return turn({
        steps,
        status: given.status,
        results: new Map(ids.slice(0, given.answered).map((id) => [id, success])),
      });
    }),
  );

  it('makes histories that a provider takes, whatever happened to the turns', () => {
    fc.assert(
      fc.property(transcripts, (earlier) => {
        const messages = build([...earlier, turn()]);
        const wire = { model: 'claude-x', max_tokens: 1, messages: messages.map(toWire) };
        expect(validateRequest(wire)).toBeUndefined();
        const roles = messages.map((message) => message.role);
        for (const [i, role] of roles.entries()) if (i > 0) expect(role).not.toBe(roles[i - 1]);
      }),
    );
  });

  it('sends what it sent before, to the letter, and adds to it', () => {
    fc.assert(
      fc.property(
        transcripts,
        fc.array(anyStep, { minLength: 1, maxLength: 4 }),
        (earlier, run) => {
          const steps = run.map(({ calls }, s) => ({
            parts: [
              textPart(`step ${s}`),
              ...Array.from({ length: calls + 1 }, (_, c) => call(`${s}.${c}`)),
            ],
          }));
          const results = new Map(
            steps.flatMap((step) =>
              step.parts.flatMap((p) => (p.type === 'tool_use' ? [[p.id, success] as const] : [])),
            ),
          );
          let sent: readonly ModelMessage[] = [];
          for (let done = 0; done <= steps.length; done += 1) {
            const now = build([...earlier, turn({ steps: steps.slice(0, done), results })]);
            expect(JSON.stringify(now.slice(0, sent.length))).toBe(JSON.stringify(sent));
            sent = now;
          }
        },
      ),
    );
  });
});

/** Enough of the wire for the rehearsal model's own check of a history. */
function toWire(message: ModelMessage): object {
  if (message.role === 'system') return { role: 'system', content: message.text };
  const content = message.parts.map((part) => {
    if (part.type === 'tool_result') {
      return { type: 'tool_result', tool_use_id: part.callId, content: part.output };
    }
    return part;
  });
  return { role: message.role, content };
}

const step = (key: string, more: Partial<ThinkingStep> = {}): ThinkingStep => ({
  key,
  digest: key,
  sent: { hash: key, thinkingFrom: null },
  ...more,
});
const after = (key: string, thinkingFrom: string | null): ThinkingStep =>
  step(key, { sent: { hash: key, thinkingFrom } });

const kept = (steps: ThinkingStep[], through?: string): string[] =>
  [...keepThinking(steps, through)].sort();

describe('keepThinking', () => {
  it('keeps all where nothing before has changed', () => {
    expect(kept([step('a'), after('b', 'a'), after('c', 'a')])).toEqual(['a', 'b', 'c']);
  });

  it('drops what was made after something else, and all before it', () => {
    const changed = step('b', { sent: { hash: 'other', thinkingFrom: 'a' } });
    expect(kept([step('a'), changed, after('c', 'c')])).toEqual(['c']);
  });

  it('drops what nobody wrote down the beginning of', () => {
    expect(kept([step('a', { sent: null }), after('b', null)])).toEqual(['b']);
  });

  it('restores nothing that a later step was made without', () => {
    expect(kept([step('a'), step('b')])).toEqual(['b']);
    expect(kept([step('a'), step('b'), after('c', 'b')])).toEqual(['b', 'c']);
  });

  it('restores what no later thinking was made without', () => {
    expect(kept([step('a'), after('b', 'a')])).toEqual(['a', 'b']);
  });

  it('keeps nothing up to where the provider refused it', () => {
    expect(kept([step('a'), after('b', 'a'), after('c', 'a')], 'b')).toEqual(['c']);
  });

  it('takes a first step that is gone for one before all others', () => {
    expect(kept([after('b', 'a'), after('c', 'a')])).toEqual(['b', 'c']);
  });
});
