import type { Source } from '../../../events/turn-event.js';
import type { ResponseEventBody } from './response-event.js';
import type { Annotation, MessageItem, OutputText, ReasoningItem } from './response-item.js';
import {
  addItem,
  endItem,
  goOn,
  type Encoded,
  type OpenSpeech,
  type ResponsesState,
} from './responses-state.js';

/** What the model says: texts are messages, and what it shows of its thinking are summaries. */

type Speech = Pick<OpenSpeech, 'kind'> & { id: string };

/** Appends to the open text; where a text of the other kind is open, or none, a new item begins. */
export function growSpeech(before: ResponsesState, wanted: Speech, delta: string): Encoded {
  const { speech } = before;
  if (speech?.kind === wanted.kind) return append(before, speech, delta);
  return goOn(
    goOn(closeSpeech(before), (state) => openSpeech(state, wanted)),
    (state) =>
      state.speech === undefined ? { state, events: [] } : append(state, state.speech, delta),
  );
}

function append(state: ResponsesState, speech: OpenSpeech, delta: string): Encoded {
  const grown = { ...speech, text: speech.text + delta };
  const place = { item_id: speech.id, output_index: speech.index };
  const event: ResponseEventBody =
    speech.kind === 'message'
      ? { type: 'response.output_text.delta', ...place, content_index: 0, delta, logprobs: [] }
      : { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta };
  return { state: { ...state, speech: grown }, events: [event] };
}

function openSpeech(before: ResponsesState, { kind, id }: Speech): Encoded {
  const empty = { kind, id, text: '', annotations: [] };
  const item =
    kind === 'message'
      ? ({ type: 'message', id, role: 'assistant', status: 'in_progress', content: [] } as const)
      : ({ type: 'reasoning', id, status: 'in_progress', summary: [] } as const);
  const { index, state, events } = addItem(before, item);
  const speech = { ...empty, index };
  return { state: { ...state, speech }, events: [...events, beginPart(speech)] };
}

function beginPart({ kind, id, index }: OpenSpeech): ResponseEventBody {
  const place = { item_id: id, output_index: index };
  return kind === 'message'
    ? { type: 'response.content_part.added', ...place, content_index: 0, part: textPart('', []) }
    : {
        type: 'response.reasoning_summary_part.added',
        ...place,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      };
}

/** Ends the open text. @param status `incomplete`: the reply was cut off in it. */
export function closeSpeech(
  before: ResponsesState,
  status: 'completed' | 'incomplete' = 'completed',
): Encoded {
  const { speech } = before;
  if (speech === undefined) return { state: before, events: [] };
  const done = endItem({ ...before, speech: undefined }, speech.index, wholeItem(speech, status));
  return { state: done.state, events: [...endPart(speech), ...done.events] };
}

/** The open text as an item so far. */
export function wholeItem(
  { kind, id, text, annotations }: OpenSpeech,
  status: MessageItem['status'],
): MessageItem | ReasoningItem {
  return kind === 'message'
    ? { type: 'message', id, role: 'assistant', status, content: [textPart(text, annotations)] }
    : { type: 'reasoning', id, status, summary: [{ type: 'summary_text', text }] };
}

function endPart({ kind, id, index, text, annotations }: OpenSpeech): ResponseEventBody[] {
  const place = { item_id: id, output_index: index };
  if (kind === 'message') {
    const at = { ...place, content_index: 0 as const };
    return [
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: textPart(text, annotations) },
    ];
  }
  const at = { ...place, summary_index: 0 as const };
  return [
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
  ];
}

/** Adds a source to the open message, or to a new one. @param id of a new message. */
export function cite(before: ResponsesState, id: string, source: Source): Encoded {
  if (before.speech?.kind === 'message') return annotate(before, before.speech, source);
  return goOn(
    goOn(closeSpeech(before), (state) => openSpeech(state, { kind: 'message', id })),
    (state) =>
      state.speech === undefined ? { state, events: [] } : annotate(state, state.speech, source),
  );
}

function annotate(state: ResponsesState, speech: OpenSpeech, source: Source): Encoded {
  const annotation = describeSource(source, speech.text.length);
  const annotations = [...speech.annotations, annotation];
  return {
    state: { ...state, speech: { ...speech, annotations } },
    events: [
      {
        type: 'response.output_text.annotation.added',
        item_id: speech.id,
        output_index: speech.index,
        content_index: 0,
        annotation_index: speech.annotations.length,
        annotation,
      },
    ],
  };
}

function describeSource({ url, title }: Source, index: number): Annotation {
  if (url !== undefined && /^https?:\/\//i.test(url)) {
    return { type: 'url_citation', url, title, start_index: index, end_index: index };
  }
  return { type: 'file_citation', file_id: title, filename: title, index };
}

function textPart(text: string, annotations: readonly Annotation[]): OutputText {
  return { type: 'output_text', text, annotations, logprobs: [] };
}
