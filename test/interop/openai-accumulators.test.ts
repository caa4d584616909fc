import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { accumulateResponse } from 'openai-6/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai-6/resources/responses/responses';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { accumulateResponse as accumulateStrictly } from 'openai/lib/responses/ResponseAccumulator';
import type {
  Response as StrictResponse,
  ResponseStreamEvent as StrictEvent,
} from 'openai/resources/responses/responses';
import type { TurnEvent } from '../../src/events/turn-event.js';
import type { FrameWithCursor } from '../../src/wires/framing/dialect.js';
import type { ResponsesEvent } from '../../src/wires/responses/dialect/response-frames.js';
import { recordedTurns, waitsOf } from '../golden/golden.js';
import { anyTurn } from '../support/turn/any-turn.js';
import { encode, eventsOf } from '../support/turn/encode-responses.js';

/** What a client makes of a response's stream. */
interface Accumulator {
  /** Takes the data of a frame. @throws the client's error. */
  take(data: string): void;
  /** The items so far. */
  output(): unknown;
}

/** The response that `responses.stream()` of version 7 makes of a stream. It checks more than its accumulator. */
function streamedResponse(data: readonly string[]): Promise<StrictResponse> {
  const lines = new Blob(data.map((one) => `${one}\n`));
  return ResponseStream.fromReadableStream(lines.stream()).finalResponse();
}

/** Those of the official client, by its major version: version 7 checks each event. */
const accumulators: Record<string, () => Accumulator> = {
  'openai 6': () => {
    let response: Response | undefined;
    return {
      take: (data) => {
        response = accumulateResponse(JSON.parse(data) as ResponseStreamEvent, response);
      },
      output: () => response?.output,
    };
  },
  'openai 7': () => {
    let response: StrictResponse | undefined;
    return {
      take: (data) => {
        response = accumulateStrictly(JSON.parse(data) as StrictEvent, response);
      },
      output: () => response?.output,
    };
  },
};

/** A response as a reader has it that takes each event, from any point of the stream on. */
const outputOf = (events: readonly ResponsesEvent[]): unknown => {
  const last = events.at(-1);
  return last !== undefined && 'response' in last ? last.response.output : undefined;
};

/** Whether a worker takes over that leaves out what the one before it has sent of a step. */
function losesItems(events: readonly TurnEvent[]): boolean {
  return events.some(({ type, attempt }, index) => {
    const begun = events.slice(0, index).findLast((one) => one.type === 'step.started');
    return type === 'step.discarded' && begun !== undefined && begun.attempt < attempt;
  });
}

/** Items that a client has before the last frames, without those that were taken back: they are `incomplete`. */
function leftOf(output: unknown, frames: readonly FrameWithCursor[]): unknown {
  const items = output as { id: string; status?: string }[];
  const ids = new Set((outputOf(eventsOf(frames)) as typeof items).map(({ id }) => id));
  const gone = items.filter(({ id }) => !ids.has(id));
  expect(gone.every(({ status }) => status === 'incomplete')).toBe(true);
  return items.filter(({ id }) => ids.has(id));
}

describe.each(recordedTurns())('the responses of %s', (_name, events) => {
  const responses = [[], ...waitsOf(events)].map((answered) => encode(events, { answered }));

  it.each(Object.keys(accumulators))(
    'are what %s takes, and end with what it made of them',
    (client) => {
      for (const frames of responses) {
        const accumulator = accumulators[client]?.();
        expect(frames.at(-1)?.data).toBe('[DONE]');
        for (const { data } of frames.slice(0, -2)) accumulator?.take(data);
        const last = eventsOf(frames).at(-1);
        expect(last?.type).toMatch(/^response\.(completed|failed|incomplete)$/);
        expect(leftOf(accumulator?.output(), frames)).toEqual(outputOf(eventsOf(frames)));
      }
    },
  );
});

// What a lost worker sent is not in the log, so that it cannot end, and its indexes come again.
it.each(recordedTurns().filter(([, events]) => !losesItems(events)))(
  'the responses of %s are what stream() of openai 7 takes',
  async (_name, events) => {
    for (const answered of [[], ...waitsOf(events)]) {
      const frames = encode(events, { answered });
      const made = await streamedResponse(frames.slice(0, -1).map(({ data }) => data));
      expect(made.output).toMatchObject(outputOf(eventsOf(frames)) as object[]);
    }
  },
);

describe('the responses of any turn', () => {
  const numRuns = process.env['TEST_RELEASE'] === undefined ? 60 : 2_000;

  it('are taken by the strictest client, and end with its items', () => {
    fc.assert(
      fc.property(anyTurn, ({ events }) => {
        for (const answered of [[], ...waitsOf(events)]) {
          const frames = encode(events, { answered });
          const accumulator = accumulators['openai 7']?.();
          for (const { data } of frames.slice(0, -2)) accumulator?.take(data);
          expect(leftOf(accumulator?.output(), frames)).toEqual(outputOf(eventsOf(frames)));
        }
      }),
      { numRuns },
    );
  });
});
