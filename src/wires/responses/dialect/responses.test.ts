import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyTurn } from '../../../../test/support/turn/any-turn.js';
import { encode, eventsOf } from '../../../../test/support/turn/encode-responses.js';
import { golden, recordedTurns, waitsOf } from '../../../../test/golden/golden.js';
import type { TurnEvent, TurnEventBody } from '../../../events/turn-event.js';
import { formatFrame } from '../../framing/dialect.js';

describe.each(recordedTurns())('the responses of %s', (name, events) => {
  const responses = [[], ...waitsOf(events)].map((answered) => encode(events, { answered }));

  it('are what they were', () => {
    const text = responses.flat().map(formatFrame).join('');
    expect(text).toBe(golden(`./responses/${name}.txt`, text));
  });

  it('have numbers that grow from 0, and go on after any of them', () => {
    for (const [index, frames] of responses.entries()) {
      const answered = [[], ...waitsOf(events)][index] ?? [];
      const numbers = eventsOf(frames).map(({ sequence_number }) => sequence_number);
      expect(numbers[0]).toBe(0);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      for (const [at, after] of numbers.entries()) {
        expect(encode(events, { answered, after })).toEqual(frames.slice(at + 1));
      }
    }
  });
});

/** A log as it is once another worker has the turn, and what was not stored is lost. */
function withoutLost(events: readonly TurnEvent[]): TurnEvent[] {
  return events.filter((event, index) => {
    const next = events.slice(index).find(({ attempt }) => attempt > event.attempt);
    const until = next && events.indexOf(next);
    const isStored = (one: TurnEvent): boolean => !streamed.has(one.type);
    // What came after the last stored event of an attempt is lost with its worker.
    return until === undefined || events.slice(index, until).some(isStored);
  });
}

const streamed = new Set([
  'step.started',
  'text.delta',
  'thinking.delta',
  'tool.requested',
  'source.cited',
]);

/** A turn whose discarded steps were lost with their workers. */
function withTakeovers(events: readonly TurnEvent[]): TurnEvent[] {
  let taken = 0;
  let seq = 0;
  let before = 0;
  return events.map((event) => {
    if (event.type === 'step.discarded') taken += 1;
    const attempt = event.attempt + taken;
    seq = attempt === before ? seq + 1 : 1;
    before = attempt;
    return { ...event, attempt, seq };
  });
}

describe('the responses of any turn', () => {
  const numRuns = process.env['TEST_RELEASE'] === undefined ? 60 : 2_000;

  it('are the same after any number, whether the log has what a lost worker streamed or not', () => {
    fc.assert(
      fc.property(anyTurn, ({ events }) => {
        const whole = withTakeovers(events);
        const stored = withoutLost(whole);
        for (const answered of [[], ...waitsOf(whole)]) {
          const live = encode(whole, { answered });
          for (const { sequence_number: after } of eventsOf(live)) {
            const left = eventsOf(live).filter((one) => one.sequence_number > after);
            const came = eventsOf(encode(stored, { answered, after }));
            // What is missing was lost with its worker, and is taken back by what follows.
            const known = new Set(came.map((one) => JSON.stringify(one)));
            const lost = left.filter((one) => !known.has(JSON.stringify(one)));
            expect(came).toEqual(left.filter((one) => !lost.includes(one)));
            expect(lost.every(({ type }) => !type.startsWith('response.in_progress'))).toBe(true);
          }
        }
      }),
      { numRuns },
    );
  });
});

describe('a question that others decide', () => {
  const awaits = [{ by: ['release'], count: 2, notRequester: true }];
  const about = { approvalId: 'appr_1', callId: 'c1', name: 'write', input: {} };
  const terms = { kind: 'tool', reason: '', expiresAt: '', onTimeout: 'deny' } as const;
  const bodies: TurnEventBody[] = [
    { type: 'step.started', step: 1 },
    { type: 'tool.requested', step: 1, callId: 'c1', name: 'write' },
    { type: 'approval.requested', ...about, ...terms, awaits },
    { type: 'turn.parked', approvalIds: ['appr_1'] },
  ];
  const events = bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));

  it('says who decides, in its item', () => {
    expect(eventsOf(encode(events))).toContainEqual(
      expect.objectContaining({
        type: 'response.output_item.done',
        item: expect.objectContaining({ type: 'mcp_approval_request', id: 'appr_1', awaits }),
      }),
    );
  });

  it('says who decides in words for clients that take no approvals', () => {
    const words = eventsOf(encode(events, { hidesApprovals: true })).map((one) =>
      'delta' in one ? one.delta : '',
    );
    expect(words.join('')).toContain(
      'by people with the role release. They give it in the console, or send POST /api/harness/awaited-approvals/appr_1;',
    );
  });
});
