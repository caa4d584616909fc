import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { accumulateResponse as accumulateStrictly } from 'openai-node-22/lib/responses/ResponseAccumulator';
import type {
  Response as StrictResponse,
  ResponseStreamEvent as StrictEvent,
} from 'openai-node-22/resources/responses/responses';

/** An event as version 7 of the official client declares it. */
export type { StrictEvent };

/** What a client makes of a response's stream. */
export interface Accumulator {
  /** Takes the data of a frame. @throws the client's error. */
  take(data: string): void;
  /** The items so far. */
  output(): unknown;
}

/** Those of the official client, by its major version: version 7 checks each event. */
export const accumulators: Record<string, () => Accumulator> = {
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
