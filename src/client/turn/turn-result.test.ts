import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../../test/golden/golden.js';
import { foldTurnEvents } from '../../../test/support/turn/fold-turn.js';
import { harnessDialect } from '../../wires/harness/dialect/harness.js';
import { TurnEncoder } from '../../wires/framing/turn-encoder.js';
import type { HarnessEvent } from './follow-turn.js';
import { emptyResult, foldResult, resultOf } from './turn-result.js';

describe.each(recordedTurns())('the result of %s', (_name, events) => {
  const encoder = new TurnEncoder(harnessDialect, 'turn_1');
  const frames = events.flatMap((event) =>
    encoder
      .encode(event)
      .map(
        ({ id, event: name, data }) =>
          ({ id, event: name, data: JSON.parse(data) as unknown }) as HarnessEvent,
      ),
  );
  const view = foldTurnEvents(events);

  it('is what the server has of it', () => {
    const result = resultOf('turn_1', frames.reduce(foldResult, emptyResult));
    const { outcome, exitCode, reason, usage } = view.end ?? {};
    expect(result).toMatchObject({ turnId: 'turn_1', outcome, exitCode, reason, usage });
    expect(result?.output).toEqual(view.end?.output);
    expect(result?.error?.errorType).toBe(view.failure?.errorType);
    const posted = events.filter(({ type }) => type === 'notice.posted');
    expect(result?.notices ?? []).toMatchObject(
      posted.map(({ type: _type, ...rest }) => ({
        kind: 'kind' in rest ? rest.kind : '',
      })),
    );
    const rejected = events.filter(({ type }) => type === 'attachment.rejected');
    expect(result?.rejectedFiles ?? []).toHaveLength(rejected.length);
    const said = view.steps.map(({ text }) => text).join('');
    expect(result?.text).toBe(frames.some(isComplete) ? view.end?.text : said);
  });

  it('is not there before the end', () => {
    const untilEnd = frames.slice(
      0,
      frames.findIndex(({ event }) => event === 'turn:end'),
    );
    expect(resultOf('turn_1', untilEnd.reduce(foldResult, emptyResult))).toBeUndefined();
  });
});

function isComplete({ event }: HarnessEvent): boolean {
  return event === 'chat:complete';
}
