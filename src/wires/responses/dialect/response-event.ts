import type { TurnEvent } from '../../../events/turn-event.js';
import type { Annotation, OutputText, ResponseItem, SummaryText } from './response-item.js';
import type { ResponseObject } from './response-object.js';

export type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

/** The item that an event is about. */
interface OfItem {
  item_id: string;
  output_index: number;
}

interface OfText extends OfItem {
  content_index: 0;
}

interface OfSummary extends OfItem {
  summary_index: 0;
}

/** The last events of a response. */
export type FinalEventType = 'response.completed' | 'response.failed' | 'response.incomplete';

/** An event before it has its number. */
export type ResponseEventBody =
  | { type: 'response.created'; response: ResponseObject }
  /** Also after a step was taken back: `response.output` has the items that count. */
  | { type: 'response.in_progress'; response: ResponseObject }
  | { type: FinalEventType; response: ResponseObject }
  | { type: 'response.output_item.added'; output_index: number; item: ResponseItem }
  | { type: 'response.output_item.done'; output_index: number; item: ResponseItem }
  | ({ type: 'response.content_part.added'; part: OutputText } & OfText)
  | ({ type: 'response.content_part.done'; part: OutputText } & OfText)
  | ({ type: 'response.output_text.delta'; delta: string; logprobs: readonly never[] } & OfText)
  | ({ type: 'response.output_text.done'; text: string; logprobs: readonly never[] } & OfText)
  | ({
      type: 'response.output_text.annotation.added';
      annotation_index: number;
      annotation: Annotation;
    } & OfText)
  | ({ type: 'response.reasoning_summary_part.added'; part: SummaryText } & OfSummary)
  | ({ type: 'response.reasoning_summary_part.done'; part: SummaryText } & OfSummary)
  | ({ type: 'response.reasoning_summary_text.delta'; delta: string } & OfSummary)
  | ({ type: 'response.reasoning_summary_text.done'; text: string } & OfSummary)
  | ({ type: 'response.function_call_arguments.delta'; delta: string } & OfItem)
  | ({ type: 'response.function_call_arguments.done'; name: string; arguments: string } & OfItem)
  | ({ type: 'response.custom_tool_call_input.delta'; delta: string } & OfItem)
  | ({ type: 'response.custom_tool_call_input.done'; input: string } & OfItem)
  | ({ type: 'response.mcp_call_arguments.done'; arguments: string } & OfItem)
  | ({
      type:
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed';
    } & OfItem);

/**
 * An event of a response's stream. Numbers grow, and begin at 0. They leave a gap where another worker
 * takes the turn over: see `number-events.ts`.
 */
export type ResponsesEvent = ResponseEventBody & { sequence_number: number };
