import { closeAll, type OpenThing } from './ag-ui-open.js';
import { by, say, type Of, type Speaker, type Told } from './ag-ui-state.js';

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

export function sayText(told: Told, speaker: Speaker, { step, text }: Of<'text.delta'>): Told {
  return sayMore(told, speaker, { kind: 'text', id: textId(speaker, step), delta: text });
}

export function sayThinking(
  told: Told,
  speaker: Speaker,
  { step, text }: Of<'thinking.delta'>,
): Told {
  return sayMore(told, speaker, { kind: 'reasoning', id: thinkingId(speaker, step), delta: text });
}

/** Ends what a speaker has open, of some kinds. Others' stays open. */
export function close(told: Told, speaker: Speaker, ...kinds: OpenThing['kind'][]): Told {
  const ending = told.state.open.filter(
    ({ kind, owner }) => owner === speaker.subagentRunId && kinds.includes(kind),
  );
  return say(told, ...closeAll(ending));
}

interface Piece {
  kind: 'text' | 'reasoning';
  id: string;
  delta: string;
}

function sayMore(told: Told, speaker: Speaker, { kind, id, delta }: Piece): Told {
  const isOpen = told.state.open.some((thing) => thing.kind === kind && thing.id === id);
  const ready = isOpen ? told : begin(close(told, speaker, 'text', 'reasoning'), speaker, kind, id);
  const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
  return say(ready, { type, messageId: id, delta, ...by(speaker) });
}

function begin(told: Told, speaker: Speaker, kind: Piece['kind'], messageId: string): Told {
  const common = { messageId, ...by(speaker) };
  if (kind === 'text') {
    return say(told, { type: 'TEXT_MESSAGE_START', role: 'assistant', ...common });
  }
  return say(
    told,
    { type: 'REASONING_START', ...common },
    { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...common },
  );
}
