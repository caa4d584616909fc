import type { TurnEvent } from '../../../src/events/turn-event.js';
import type { FrameWithCursor } from '../../../src/wires/framing/dialect.js';
import { TurnEncoder } from '../../../src/wires/framing/turn-encoder.js';
import type {
  ResponsesEvent,
  ResponseFacts,
} from '../../../src/wires/responses/dialect/response-frames.js';
import { responsesDialect } from '../../../src/wires/responses/dialect/responses.js';

const facts: ResponseFacts = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_795_422_018,
  model: 'WORKING_ITEMS',
  previous_response_id: null,
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  truncation: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  temperature: 1,
  reasoning: { effort: null, summary: null },
  max_output_tokens: null,
  max_tool_calls: null,
  store: true,
  background: false,
  service_tier: 'default',
  metadata: {},
  user: null,
  safety_identifier: null,
  prompt_cache_key: null,
};

interface Wanted {
  answered?: readonly string[];
  after?: number;
  hidesApprovals?: boolean;
}

/** The frames of the response of a turn, from the event with a number on. */
export function encode(
  events: readonly TurnEvent[],
  { answered = [], after, hidesApprovals = false }: Wanted = {},
): FrameWithCursor[] {
  const wanted = {
    facts,
    turnKey: '1',
    clientTools: ['pick_color'],
    customTools: [],
    namespaces: [],
    hidesApprovals,
    answered,
  };
  const encoder = new TurnEncoder(responsesDialect(wanted, after), 'turn_1');
  return events.flatMap((event) => encoder.encode(event));
}

/** The events of frames, without the mark of the end. */
export const eventsOf = (frames: readonly FrameWithCursor[]): ResponsesEvent[] =>
  frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as ResponsesEvent);
