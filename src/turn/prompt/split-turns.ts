import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { UserPart } from '../../provider/model-types.js';
import type { TurnTranscript } from '../state/attempt-context.js';
import { elideOutputs } from './transcripts.js';

type Estimate = (text: string) => number;

/** A placeholder for an image or a PDF, whose content is not sent in pieces. */
const FILE_NOTE = '[A file that the user attached.]';

/**
 * Turns in pieces of at most so many tokens, in order, with the outputs of tools cut to their
 * beginnings and files left out. A turn that is longer than a piece keeps its words alone, cut.
 * Pure.
 */
export function splitTurns(
  turns: readonly TurnTranscript[],
  limit: number,
  estimate: Estimate,
): TurnTranscript[][] {
  const pieces: TurnTranscript[][] = [];
  let left = 0;
  for (const turn of turns) {
    const short = withoutFiles(elideOutputs(turn));
    const size = sizeOf(short, estimate);
    const fitting = size <= limit ? short : inWords(short, limit, estimate);
    const tokens = Math.min(size, limit);
    if (tokens > left) {
      pieces.push([]);
      left = limit;
    }
    pieces.at(-1)?.push(fitting);
    left -= tokens;
  }
  return pieces;
}

function withoutFiles(turn: TurnTranscript): TurnTranscript {
  const userParts = turn.userParts.map((part): UserPart =>
    part.type === 'image' || part.type === 'pdf' ? { type: 'text', text: FILE_NOTE } : part,
  );
  return { ...turn, userParts };
}

function sizeOf(turn: TurnTranscript, estimate: Estimate): number {
  const outputs = [...turn.results.values()].map(({ output }) => output ?? '');
  const noticed = turn.notices.filter(({ seenByModel }) => seenByModel).map(({ text }) => text);
  const steered = turn.steered.map(({ text }) => text);
  return estimate(
    [
      ...turn.userParts.map((part) => JSON.stringify(part)),
      ...turn.steps.map(({ parts }) => JSON.stringify(parts)),
      ...outputs,
      ...noticed,
      ...steered,
    ].join('\n'),
  );
}

/** A turn's words: half of the limit for the user's, half for the reply's. */
function inWords(turn: TurnTranscript, limit: number, estimate: Estimate): TurnTranscript {
  const asked = turn.userParts.map((part) => ('text' in part ? part.text : '')).join('\n');
  const replied = turn.steps.flatMap(({ parts }) => parts.map(textOf)).join('');
  const half = limit / 2;
  const reply: AssistantPart = { type: 'text', text: cutText(replied, half, estimate) };
  const step = turn.steps[0];
  return {
    ...turn,
    userParts: [{ type: 'text', text: cutText(asked, half, estimate) }],
    steps:
      step === undefined ? [] : [{ ...step, stopReason: 'end_turn', sent: null, parts: [reply] }],
    results: new Map(),
    notices: [],
    steered: [],
  };
}

function textOf(part: AssistantPart): string {
  return part.type === 'text' ? part.text : '';
}

/** The beginning and the end of a text: both matter more than the middle. */
function cutText(text: string, tokens: number, estimate: Estimate): string {
  const size = estimate(text);
  if (size <= tokens) return text;
  const kept = Math.floor((text.length * tokens * 0.9) / size / 2);
  const cut = text.length - kept * 2;
  return `${text.slice(0, kept)}\n[${cut} characters cut]\n${text.slice(-kept)}`.toWellFormed();
}
