import { accumulateResponse } from 'openai-6/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai-6/resources/responses/responses';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { accumulateResponse as accumulateStrictly } from 'openai/lib/responses/ResponseAccumulator';
import type {
  Response as StrictResponse,
  ResponseStreamEvent as StrictEvent,
} from 'openai/resources/responses/responses';

/** An event as version 7 of the official client declares it. */
export type { StrictEvent };

/** What a client makes of a response's stream. */
export interface Accumulator {
  /** Takes the data of a frame. @throws the client's error. */
  take(data: string): void;
  /** The items so far. */
  output(): unknown;
}

/** The response that `responses.stream()` of version 7 makes of a stream. It checks more than its accumulator. */
export function streamedResponse(data: readonly string[]): Promise<StrictResponse> {
  const lines = new Blob(data.map((one) => `${one}\n`));
  return ResponseStream.fromReadableStream(lines.stream()).finalResponse();
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
