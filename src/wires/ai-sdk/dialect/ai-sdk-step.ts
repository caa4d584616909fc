import type { Source } from '../../../events/turn-event.js';
import type { AiSdkChunk } from './ai-sdk-chunk.js';

/** The step that is sent, as far as later chunks need it. */
export interface AiSdkStep {
  step: number;
  /** Whether the step has begun and not ended. */
  isOpen: boolean;
  /** The part that grows. */
  growing?: { kind: 'text' | 'reasoning'; id: string } | undefined;
  /** Texts and sources so far: the number of the last one. */
  parts: number;
  /** Ids of the step's parts and calls. */
  partIds: readonly string[];
  hasCalls: boolean;
}

export const noStep: AiSdkStep = { step: 0, isOpen: false, parts: 0, partIds: [], hasCalls: false };

type StepChunks = { step: AiSdkStep; chunks: AiSdkChunk[] };

/** A step that is sent again after it was discarded goes on with its numbers: no id comes twice. */
export function openStep(before: AiSdkStep, step: number): StepChunks {
  const closed = closeStep(before);
  const parts = step === before.step ? before.parts : 0;
  return {
    step: { ...noStep, step, isOpen: true, parts },
    chunks: [...closed.chunks, { type: 'start-step' }],
  };
}

export function closeStep(step: AiSdkStep): StepChunks {
  const closed = closePart(step);
  if (!step.isOpen) return closed;
  return {
    step: { ...closed.step, isOpen: false },
    chunks: [...closed.chunks, { type: 'finish-step' }],
  };
}

/** Appends to the open text; where a text of the other kind is open, or none, a new part begins. */
export function growPart(before: AiSdkStep, kind: 'text' | 'reasoning', delta: string): StepChunks {
  if (before.growing?.kind === kind) {
    return { step: before, chunks: [{ type: `${kind}-delta`, id: before.growing.id, delta }] };
  }
  const { step, chunks } = closePart(before);
  const parts = step.parts + 1;
  const id = `${kind}-${step.step}-${parts}`;
  return {
    step: { ...step, parts, growing: { kind, id }, partIds: [...step.partIds, id] },
    chunks: [
      ...chunks,
      { type: `${kind}-start`, id, providerMetadata: { turnpike: { id } } },
      { type: `${kind}-delta`, id, delta },
    ],
  };
}

export function closePart(step: AiSdkStep): StepChunks {
  const { growing } = step;
  if (growing === undefined) return { step, chunks: [] };
  return {
    step: { ...step, growing: undefined },
    chunks: [{ type: `${growing.kind}-end`, id: growing.id }],
  };
}

/** A call of the step begins: the part before it is whole. */
export function noteCall(before: AiSdkStep, toolCallId: string): StepChunks {
  const { step, chunks } = closePart(before);
  return { step: { ...step, hasCalls: true, partIds: [...step.partIds, toolCallId] }, chunks };
}

export function citeSource(step: AiSdkStep, source: Source): StepChunks {
  const parts = step.parts + 1;
  const sourceId = `source-${step.step}-${parts}`;
  const { type, title, url, citedText, location } = source;
  const providerMetadata = { turnpike: { type, citedText, location } };
  const isPage = url !== undefined && /^https?:\/\//i.test(url);
  const name = title === '' ? (url ?? 'Source') : title;
  const chunk: AiSdkChunk = isPage
    ? { type: 'source-url', sourceId, url, title: name, providerMetadata }
    : // The document's media type is not known; the protocol requires one.
      {
        type: 'source-document',
        sourceId,
        mediaType: 'text/plain',
        title: name,
        providerMetadata,
      };
  return { step: { ...step, parts, partIds: [...step.partIds, sourceId] }, chunks: [chunk] };
}
