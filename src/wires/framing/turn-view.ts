import type { EventOf } from '../../events/turn-event.js';
import type { OutputProgress, PartialOutput } from './output-progress.js';

/**
 * What a reader of a turn has of it so far: the one place that follows what is open, what has no result
 * and what was not sent. `followTurn` (follow-turn.ts) applies an event and returns what it changed, in a closed set of
 * changes, the parts of subagents among them.
 *
 * A dialect keeps a view in its state, maps each change to frames (a `switch` that ends in `assertNever`),
 * and keeps beside it only what its own frames need, such as ids and numbers that it made up:
 *
 *     encode: (state, event) => {
 *       const { view, changes, isIncluded } = followTurn(state.view, event);
 *       const encoded = changes.reduce(encodeChange, { state: { ...state, view }, frames: [] });
 *       return isIncluded ? encoded : { state: encoded.state, frames: [] };
 *     }
 *
 * A wire whose streams end where the turn waits for people begins with `startView(openSegment(…))`: events
 * outside the segment change the view, but are not to be sent (`isIncluded`). Other wires begin with
 * `startView()`. What is open is closed by changes of its own before `ended`, `parked` and `discarded` come,
 * so a dialect never looks for it.
 */
export interface TurnView {
  /** Undefined: the stream goes on to the turn's end, wherever the turn waits. */
  segment: Segment | undefined;
  /** Whether the stream's first event has come. */
  hasBegun: boolean;
  turn: Author;
  /** Subagents that run, by the ids of their turns; also those of subagents. */
  subagents: ReadonlyMap<string, Subagent>;
  /** What has begun and has not ended, in the order it began. */
  open: readonly OpenPart[];
  /** Calls without a result, by their keys, in the order of their requests. */
  calls: ReadonlyMap<string, OpenCall>;
  /** Calls of the turn so far, without those that were taken back. */
  callCount: number;
  /** Questions without an answer, by the ids of their approvals, in the order they were asked. */
  questions: ReadonlyMap<string, Question>;
  /** The turn's own reply, as it was sent. */
  text: SentText;
  output: OutputProgress;
}

/**
 * The part of a turn that one stream sends, on wires whose streams end where the turn waits for
 * people: from its start, or from the client's latest answers, to where it waits for something
 * else, or to its end.
 */
export interface Segment {
  /**
   * Ids that the client gave before the segment: of approvals it answered, or of a message that was
   * steered into the turn. None: the segment begins with the turn.
   */
  readonly answered: readonly string[];
  /** Those of `answered` that the segment begins with: all, or the one steered message. */
  readonly opensWith: readonly string[];
  readonly begins: SegmentBeginning;
  readonly phase: 'before' | 'within' | 'over';
  /**
   * The approvals that the turn and its subagents wait for, once the segment is over and the turn
   * is not.
   */
  readonly waitsFor: readonly string[];
}

/**
 * The start of a segment after answers; a steered message begins its segment itself. `pause`: after
 * the first time that the turn waited for one of the answers. Where it waited for another approval
 * between, the events up to there are in two segments. `answer`: with the first of the answers in
 * the log. Events between, after answers of other requests, are in no segment. `question`: where the turn waits
 * for one of the ids, or has the steered message: a message that came beside a question is answered with the
 * question, which is all of the segment.
 */
export type SegmentBeginning = 'pause' | 'answer' | 'question';

/** Whose an event or a part is: undefined is the turn itself, otherwise the id of a subagent's turn. */
export type Owner = string | undefined;

export interface Author {
  started?: EventOf<'turn.started'>;
  failure?: EventOf<'turn.failed'>;
  /** The number of the last step; 0: none has begun. */
  step: number;
  /** Texts, thoughts and sources of that step so far, also those that were taken back: no number comes twice. */
  parts: number;
  /** The approvals that it is parked for; absent: it is not. */
  parkedFor?: readonly string[] | undefined;
}

export interface Subagent extends Author {
  /** Whose call it is, and which. */
  owner: Owner;
  callId: string;
}

/** A text or a thought of a step. */
export interface Part {
  kind: 'text' | 'thinking';
  step: number;
  /** The number among the texts, thoughts and sources of the step, from 1. */
  number: number;
}

export type OpenPart = { owner: Owner } & (
  | { kind: 'part'; part: Part }
  /** The input of a call, as long as more of it may come. */
  | { kind: 'input'; key: string }
  | { kind: 'step'; step: number }
  | { kind: 'subagent'; event: EventOf<'subagent.started'> }
);

export interface OpenCall {
  /** The call's id; of a subagent's call, after the subagent's: calls of two turns may have one id. */
  key: string;
  callId: string;
  owner: Owner;
  name: string;
  step: number;
  /** Calls of the turn before this one. */
  index: number;
  /** The JSON of the input, as far as it was streamed. */
  json: string;
  /** Whether the whole input is known, as the call was started or asked about. */
  isWhole: boolean;
  input?: unknown;
  /** Its number among the calls that run, as they started; absent: it does not run. */
  start?: number | undefined;
  /** The last question about the call. */
  question?: EventOf<'approval.requested'>;
  /** The answer to it; undefined: there is none yet. */
  decision?: EventOf<'approval.resolved'>['decision'];
  /** The last approval of the call, also where another question came after it. */
  approvedBy?: string;
}

export function isRunning({ start }: OpenCall): boolean {
  return start !== undefined;
}

export interface Question {
  event: EventOf<'approval.requested'>;
  owner: Owner;
}

/** An event that nothing is kept of. */
export type Announcement = EventOf<
  | 'turn.queued'
  | 'turn.recovering'
  | 'message.joined'
  | 'attachment.rejected'
  | 'notice.posted'
  | 'tool.progress'
>;

/** What an event does to the view. */
export type TurnChange = { owner: Owner } & (
  | { type: 'announced'; event: Announcement }
  | { type: 'started'; event: EventOf<'turn.started'> }
  | { type: 'step.opened'; step: number }
  | { type: 'step.closed'; step: number }
  /** After what was open in the step has been closed. */
  | { type: 'step.ended'; event: EventOf<'step.ended'> }
  | { type: 'part.opened'; part: Part }
  | { type: 'part.grown'; part: Part; text: string }
  /** `isCut`: the reply ended within the part. */
  | { type: 'part.closed'; part: Part; isCut: boolean }
  | { type: 'source.cited'; event: EventOf<'source.cited'>; number: number }
  /** The call's input is open from here on. */
  | { type: 'call.requested'; call: OpenCall }
  | { type: 'call.grown'; call: OpenCall; json: string }
  /** The input begins again: it had been closed before anything of it was sent. */
  | { type: 'input.opened'; call: OpenCall }
  /** `rest`: the whole input, where nothing of it was sent; otherwise empty. */
  | { type: 'input.closed'; call: OpenCall; rest: string }
  /** `call`, here and in the next three: as it was before. */
  | { type: 'call.started'; event: EventOf<'tool.started'>; call: OpenCall }
  | { type: 'question.asked'; event: EventOf<'approval.requested'>; call: OpenCall }
  | {
      type: 'question.answered';
      event: EventOf<'approval.resolved'>;
      call: OpenCall | undefined;
    }
  /** `call` is undefined where no event named it before. */
  | { type: 'call.ended'; event: EventOf<'tool.ended'>; call: OpenCall | undefined }
  /** No event of the call follows in this stream: its step was taken back, or the stream ends before it. */
  | { type: 'call.abandoned'; call: OpenCall; why: 'discarded' | 'parked' | 'ended' }
  /** The turn's object has grown. */
  | { type: 'output.grown'; partial: PartialOutput }
  /** `text`: what is void of the reply. */
  | { type: 'discarded'; step: number; text: string }
  | { type: 'subagent.started'; event: EventOf<'subagent.started'> }
  /** An event of the subagent; what it changes follows. */
  | { type: 'subagent.told'; event: EventOf<'subagent.told'> }
  /** The stream, or the subagent above, ends before the subagent does. */
  | { type: 'subagent.closed'; event: EventOf<'subagent.started'> }
  | {
      type: 'subagent.ended';
      event: EventOf<'subagent.ended'>;
      failure: EventOf<'turn.failed'> | undefined;
    }
  /** The segment ends where the turn waits for these approvals. */
  | { type: 'parked'; waitsFor: readonly string[] }
  /** `unsent`: the end of the reply that no delta had, as the note on a limit, or text that a crash lost. */
  | { type: 'ended'; event: EventOf<'turn.ended'>; unsent: string }
);

/** The turn's own reply as it was sent, of the steps that count. */
export interface SentText {
  step: number;
  /** Text of `step`. */
  ofStep: string;
  before: string;
}

/** The reply of a client that applied every discard. */
export function sentSoFar({ before, ofStep }: SentText): string {
  return before + ofStep;
}

/** Nothing is known of it yet. */
export const newAuthor: Author = { step: 0, parts: 0 };

export function startView(segment?: Segment): TurnView {
  return {
    segment,
    hasBegun: false,
    turn: newAuthor,
    subagents: new Map(),
    open: [],
    calls: new Map(),
    callCount: 0,
    questions: new Map(),
    text: { step: 0, ofStep: '', before: '' },
    output: undefined,
  };
}

export function authorOf({ turn, subagents }: TurnView, owner: Owner): Author {
  return owner === undefined ? turn : (subagents.get(owner) ?? newAuthor);
}
