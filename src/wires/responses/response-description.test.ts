import { describe, expect, it } from '@jest/globals';
import { linkResponses, formatResponseId, parseResponseId } from './response-description.js';

const uuidOf = (n: number): string => `6b0f7c1e-3c0a-4f0e-9a53-${String(n).padStart(12, '0')}`;
const turnId = `turn_${uuidOf(0)}`;
const asked = (n: number, at: number | null, decision: 'approve' | 'cancelled' = 'approve') => ({
  id: `appr_${uuidOf(n)}`,
  decision: at === null ? null : decision,
  decidedAt: at === null ? null : new Date(at),
});
const answeredOf = (approvals: ReturnType<typeof asked>[]): string[][] =>
  linkResponses(turnId, approvals).map(({ answered }) => answered.map((id) => id.slice(-1)));

describe('linkResponses', () => {
  it.each<[string, ReturnType<typeof asked>[], string[][]]>([
    ['a turn that asked nothing', [], [[]]],
    ['open questions', [asked(1, null)], [[]]],
    ['answers of one request', [asked(2, 5), asked(1, 5)], [[], ['1', '2']]],
    ['answers of several requests', [asked(1, 9), asked(2, 5)], [[], ['2'], ['1']]],
    ['a turn that ended before it was answered', [asked(1, 5, 'cancelled')], [[]]],
  ])('begins a response with the answers of each request: %s', (_name, approvals, responses) => {
    expect(answeredOf(approvals)).toEqual(responses);
  });

  it('names each response by its turn and its first answer', () => {
    const ids = linkResponses(turnId, [asked(2, 5), asked(1, 5)]).map(({ id }) => id);
    expect(ids).toEqual([`resp_${uuidOf(0)}`, `resp_${uuidOf(0)}_${uuidOf(1)}`]);
    expect(ids.map(parseResponseId)).toEqual([
      { turnId, approvalId: undefined },
      { turnId, approvalId: `appr_${uuidOf(1)}` },
    ]);
  });
});

describe('parseResponseId', () => {
  const id = formatResponseId({ turnId, approvalId: undefined });
  it.each(['', 'resp_1', turnId, `${id}_`, `${id}x`, ` ${id}`, id.toUpperCase(), `${id}\n`])(
    'knows %j as no id of a response',
    (text) => {
      expect(parseResponseId(text)).toBeUndefined();
    },
  );
});
