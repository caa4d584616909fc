import { closeAll, type OpenThing } from './ag-ui-open.js';
import { by, addEvents, type Of, type Speaker, type Encoded } from './ag-ui-state.js';

/** The assistant's message of a step: its text and its calls. */
export function textId({ messageId }: Speaker, step: number): string {
  return `${messageId}-${step}`;
}

export function thinkingId({ messageId }: Speaker, step: number): string {
  return `${messageId}-${step}-thinking`;
}

export function stepName(step: number): string {
  return `step-${step}`;
}

export function addText(
  encoded: Encoded,
  speaker: Speaker,
  { step, text }: Of<'text.delta'>,
): Encoded {
  return addPiece(encoded, speaker, { kind: 'text', id: textId(speaker, step), delta: text });
}

export function addThinking(
  encoded: Encoded,
  speaker: Speaker,
  { step, text }: Of<'thinking.delta'>,
): Encoded {
  return addPiece(encoded, speaker, {
    kind: 'reasoning',
    id: thinkingId(speaker, step),
    delta: text,
  });
}

/** Ends a speaker's open parts of some kinds; parts of other speakers stay open. */
export function close(encoded: Encoded, speaker: Speaker, ...kinds: OpenThing['kind'][]): Encoded {
  const ending = encoded.state.open.filter(
    ({ kind, owner }) => owner === speaker.subagentRunId && kinds.includes(kind),
  );
  return addEvents(encoded, ...closeAll(ending));
}

interface Piece {
  kind: 'text' | 'reasoning';
  id: string;
  delta: string;
}

function addPiece(encoded: Encoded, speaker: Speaker, { kind, id, delta }: Piece): Encoded {
  const isOpen = encoded.state.open.some((thing) => thing.kind === kind && thing.id === id);
  const ready = isOpen
    ? encoded
    : begin(close(encoded, speaker, 'text', 'reasoning'), speaker, kind, id);
  const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
  return addEvents(ready, { type, messageId: id, delta, ...by(speaker) });
}

function begin(
  encoded: Encoded,
  speaker: Speaker,
  kind: Piece['kind'],
  messageId: string,
): Encoded {
  const common = { messageId, ...by(speaker) };
  if (kind === 'text') {
    return addEvents(encoded, { type: 'TEXT_MESSAGE_START', role: 'assistant', ...common });
  }
  return addEvents(
    encoded,
    { type: 'REASONING_START', ...common },
    { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...common },
  );
}
