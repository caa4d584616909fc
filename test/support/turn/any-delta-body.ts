import * as fc from 'fast-check';
import type { TurnEventBody } from '../../../src/events/turn-event.js';

/** Deltas of a few blocks, and an event between them now and then. */
export const anyDeltaBody: fc.Arbitrary<TurnEventBody> = fc.oneof(
  fc.record({
    type: fc.constantFrom('text.delta' as const, 'thinking.delta' as const),
    step: fc.integer({ min: 1, max: 2 }),
    text: fc.string(),
  }),
  fc.record({
    type: fc.constant('tool.args.delta' as const),
    callId: fc.constantFrom('a', 'b'),
    json: fc.string(),
  }),
  fc.record({ type: fc.constant('step.started' as const), step: fc.integer({ min: 1, max: 2 }) }),
);
