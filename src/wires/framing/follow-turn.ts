import type { EventOf, TurnEvent } from '../../events/turn-event.js';
import { printJson } from '../../platform/exact-json.js';
import { applyByType, type ByType } from './dialect.js';
import { followOutput } from './output-progress.js';
import { followSegment } from './segment.js';
import {
  isRunning,
  sentSoFar,
  newAuthor,
  authorOf,
  type Announcement,
  type OpenCall,
  type OpenPart,
  type Owner,
  type Part,
  type Author,
  type TurnChange,
  type TurnView,
} from './turn-view.js';

export interface FollowedTurn {
  view: TurnView;
  changes: readonly TurnChange[];
  /** Whether the event is of the segment; changes of others are not to be sent. */
  isIncluded: boolean;
  /** Whether the stream begins with this event, or right after it. */
  begins: boolean;
}

/** A view that is written to while one event is applied. */
interface Draft {
  view: TurnView;
  changes: TurnChange[];
}

/** Applies an event. Pure. */
export function followTurn(before: TurnView, event: TurnEvent): FollowedTurn {
  const draft: Draft = { view: before, changes: [] };
  // A stream that begins with the turn's end has none of what was open.
  if (event.type === 'turn.ended' && before.segment?.phase === 'before') dropParts(draft);
  applyEvent(draft, undefined, event);
  const { progress: output, partial } = followOutput(before.output, event);
  if (output !== before.output) set(draft, { output });
  if (partial !== undefined) emit(draft, { owner: undefined, type: 'output.grown', partial });
  const { isIncluded, begins } = moveSegment(draft, event);
  return { view: draft.view, changes: draft.changes, isIncluded, begins };
}

/** Moves the segment on, which the event may begin or end. */
function moveSegment(draft: Draft, event: TurnEvent): Omit<FollowedTurn, 'view' | 'changes'> {
  const { segment: before, hasBegun } = draft.view;
  if (before === undefined) {
    if (!hasBegun) set(draft, { hasBegun: true });
    return { isIncluded: true, begins: !hasBegun };
  }
  const { segment, isIncluded } = followSegment(before, event, draft.view);
  const begins = !hasBegun && segment.phase !== 'before';
  if (segment !== before || begins) set(draft, { segment, hasBegun: hasBegun || begins });
  if (before.phase === 'before' && begins) dropParts(draft);
  if (segment.phase === 'over' && before.phase !== 'over' && event.type !== 'turn.ended') {
    abandon(draft, [...draft.view.calls.values()], 'parked');
    close(draft, draft.view.open);
    emit(draft, { owner: undefined, type: 'parked', waitsFor: segment.waitsFor });
  }
  return { isIncluded, begins };
}

/** Parts and inputs ended with the stream before; steps and subagents go on. */
function dropParts(draft: Draft): void {
  const open = draft.view.open.filter(({ kind }) => kind === 'step' || kind === 'subagent');
  set(draft, { open });
}

function applyEvent(draft: Draft, owner: Owner, event: TurnEvent): void {
  // An event of a parked turn means that it was resumed.
  if (authorOf(draft.view, owner).parkedFor !== undefined) {
    setSpeaker(draft, owner, { parkedFor: undefined });
  }
  applyByType(changesByType, event, draft, owner);
}

const announce = (event: Announcement, draft: Draft, owner: Owner): void =>
  emit(draft, { owner, type: 'announced', event });

/** The changes of the view that each event makes. */
const changesByType: ByType<TurnEvent, [Draft, Owner], void> = {
  'turn.queued': announce,
  'turn.recovering': announce,
  'message.joined': announce,
  'attachment.rejected': announce,
  'notice.posted': announce,
  'tool.progress': announce,
  'turn.started': (event, draft, owner) => {
    setSpeaker(draft, owner, { started: event });
    emit(draft, { owner, type: 'started', event });
  },
  'turn.failed': (event, draft, owner) => setSpeaker(draft, owner, { failure: event }),
  'step.started': ({ step }, draft, owner) => openStep(draft, owner, step),
  'step.ended': (event, draft, owner) => {
    closeStep(draft, owner, event.stopReason === 'max_tokens');
    emit(draft, { owner, type: 'step.ended', event });
  },
  'step.discarded': ({ step }, draft, owner) => discardStep(draft, owner, step),
  'thinking.delta': (event, draft, owner) => growPart(draft, owner, 'thinking', event),
  'text.delta': (event, draft, owner) => {
    if (owner === undefined) growText(draft, event);
    growPart(draft, owner, 'text', event);
  },
  'source.cited': (event, draft, owner) =>
    emit(draft, { owner, type: 'source.cited', event, number: countPart(draft, owner) }),
  'tool.requested': (event, draft, owner) => requestCall(draft, owner, event),
  'tool.args.delta': (event, draft, owner) => growCall(draft, owner, event),
  'tool.started': (event, draft, owner) => {
    const call = namedCall(draft.view, owner, event);
    emit(draft, { owner, type: 'call.started', event, call });
    const starts = [...draft.view.calls.values()].map(({ start = 0 }) => start);
    completeCall(draft, { ...call, start: Math.max(0, ...starts) + 1 }, event.input);
  },
  'tool.ended': (event, draft, owner) => endCall(draft, owner, event),
  'approval.requested': (event, draft, owner) => ask(draft, owner, event),
  'approval.resolved': (event, draft, owner) => resolve(draft, owner, event),
  'subagent.started': (event, draft, owner) => {
    const author = { ...newAuthor, owner, callId: event.callId };
    set(draft, {
      subagents: new Map(draft.view.subagents).set(event.childTurnId, author),
      open: [...draft.view.open, { owner, kind: 'subagent', event }],
    });
    emit(draft, { owner, type: 'subagent.started', event });
  },
  'subagent.told': (event, draft, owner) => {
    emit(draft, { owner, type: 'subagent.told', event });
    if (draft.view.subagents.has(event.childTurnId)) {
      applyEvent(draft, event.childTurnId, event.event);
    }
  },
  'subagent.ended': (event, draft, owner) => endSubagent(draft, owner, event),
  'turn.parked': ({ approvalIds }, draft, owner) =>
    setSpeaker(draft, owner, { parkedFor: approvalIds }),
  'turn.ended': (event, draft, owner) => endTurn(draft, owner, event),
};

function openStep(draft: Draft, owner: Owner, step: number): void {
  closeStep(draft, owner, false);
  const before = authorOf(draft.view, owner);
  // A step that is sent again after it was discarded goes on with its numbers.
  setSpeaker(draft, owner, { step, parts: step === before.step ? before.parts : 0 });
  set(draft, { open: [...draft.view.open, { owner, kind: 'step', step }] });
  emit(draft, { owner, type: 'step.opened', step });
}

/** Closes all that an owner has open but for its subagents. */
function closeStep(draft: Draft, owner: Owner, isCut: boolean): void {
  const isOf = (thing: OpenPart): boolean => thing.owner === owner && thing.kind !== 'subagent';
  close(draft, draft.view.open.filter(isOf), isCut);
}

function discardStep(draft: Draft, owner: Owner, step: number): void {
  closeStep(draft, owner, false);
  const gone = [...draft.view.calls.values()].filter(
    (call) => call.owner === owner && call.step === step,
  );
  abandon(draft, gone, 'discarded');
  const { text } = draft.view;
  const isSent = owner === undefined && text.step === step;
  if (isSent) set(draft, { text: { ...text, ofStep: '' } });
  if (owner === undefined) set(draft, { callCount: draft.view.callCount - gone.length });
  emit(draft, { owner, type: 'discarded', step, text: isSent ? text.ofStep : '' });
}

function growText(draft: Draft, { step, text }: EventOf<'text.delta'>): void {
  const sent = draft.view.text;
  const grown =
    step === sent.step
      ? { ...sent, ofStep: sent.ofStep + text }
      : { step, ofStep: text, before: sentSoFar(sent) };
  set(draft, { text: grown });
}

/** Appends to the open part; where one of another kind or step is open, or none, a new part begins. */
function growPart(
  draft: Draft,
  owner: Owner,
  kind: Part['kind'],
  { step, text }: { step: number; text: string },
): void {
  let part = openPart(draft.view, owner);
  if (part?.kind !== kind || part.step !== step) {
    closePart(draft, owner);
    part = { kind, step, number: countPart(draft, owner) };
    set(draft, { open: [...draft.view.open, { owner, kind: 'part', part }] });
    emit(draft, { owner, type: 'part.opened', part });
  }
  emit(draft, { owner, type: 'part.grown', part, text });
}

function openPart({ open }: TurnView, owner: Owner): Part | undefined {
  const thing = open.findLast((one) => one.kind === 'part' && one.owner === owner);
  return thing?.kind === 'part' ? thing.part : undefined;
}

function closePart(draft: Draft, owner: Owner): void {
  close(
    draft,
    draft.view.open.filter((one) => one.kind === 'part' && one.owner === owner),
  );
}

function countPart(draft: Draft, owner: Owner): number {
  const parts = authorOf(draft.view, owner).parts + 1;
  setSpeaker(draft, owner, { parts });
  return parts;
}

function requestCall(draft: Draft, owner: Owner, event: EventOf<'tool.requested'>): void {
  closePart(draft, owner);
  const { callId, name, step } = event;
  const call = newCall(draft.view, owner, { callId, name, step });
  setCall(draft, call);
  if (owner === undefined) set(draft, { callCount: draft.view.callCount + 1 });
  set(draft, { open: [...draft.view.open, { owner, kind: 'input', key: call.key }] });
  emit(draft, { owner, type: 'call.requested', call });
}

function growCall(draft: Draft, owner: Owner, { callId, json }: EventOf<'tool.args.delta'>): void {
  const call = draft.view.calls.get(keyOf(owner, callId));
  if (call === undefined || !isInputOpen(draft.view, call)) return;
  const grown = { ...call, json: call.json + json };
  setCall(draft, grown);
  emit(draft, { owner, type: 'call.grown', call: grown, json });
}

/** The call of an event, also one that no event has asked for. */
function namedCall(
  view: TurnView,
  owner: Owner,
  { callId, name }: { callId: string; name: string },
): OpenCall {
  const { step } = authorOf(view, owner);
  return view.calls.get(keyOf(owner, callId)) ?? newCall(view, owner, { callId, name, step });
}

/** The whole input of a call is known: the input ends, and what was not sent of it is its rest. */
function completeCall(draft: Draft, call: OpenCall, input: unknown): void {
  const { owner, key } = call;
  const isSent = call.json !== '' || call.isWhole;
  const isOpen = isInputOpen(draft.view, call);
  setCall(draft, { ...call, isWhole: true, input });
  if (isSent && !isOpen) return;
  if (!isOpen) emit(draft, { owner, type: 'input.opened', call });
  set(draft, { open: draft.view.open.filter((one) => one.kind !== 'input' || one.key !== key) });
  emit(draft, { owner, type: 'input.closed', call, rest: isSent ? '' : printJson(input ?? {}) });
}

function ask(draft: Draft, owner: Owner, event: EventOf<'approval.requested'>): void {
  const call = namedCall(draft.view, owner, event);
  const questions = new Map(draft.view.questions).set(event.approvalId, { event, owner });
  set(draft, { questions });
  emit(draft, { owner, type: 'question.asked', event, call });
  const { decision: _decision, ...asked } = call;
  completeCall(draft, { ...asked, question: event }, event.input);
}

function resolve(draft: Draft, owner: Owner, event: EventOf<'approval.resolved'>): void {
  const call = draft.view.calls.get(keyOf(owner, event.callId));
  const { approvalId, decision } = event;
  const approval = decision.startsWith('approve') ? { approvedBy: approvalId } : {};
  if (call !== undefined) setCall(draft, { ...call, decision, ...approval });
  const questions = new Map(draft.view.questions);
  questions.delete(approvalId);
  set(draft, { questions });
  emit(draft, { owner, type: 'question.answered', event, call });
}

function endCall(draft: Draft, owner: Owner, event: EventOf<'tool.ended'>): void {
  const call = draft.view.calls.get(keyOf(owner, event.callId));
  if (call !== undefined) {
    const isOfCall = (one: OpenPart): boolean => one.kind === 'input' && one.key === call.key;
    close(draft, draft.view.open.filter(isOfCall));
    forget(draft, [call]);
  } else if (owner === undefined) {
    set(draft, { callCount: draft.view.callCount + 1 });
  }
  emit(draft, { owner, type: 'call.ended', event, call });
}

/** Closes all that a subagent has open first, also where its own end is not in the log. */
function endSubagent(draft: Draft, owner: Owner, event: EventOf<'subagent.ended'>): void {
  const { childTurnId } = event;
  const ended = draft.view.subagents.get(childTurnId);
  if (ended === undefined) return;
  const below = new Set([childTurnId]);
  const under = draft.view.open.filter((one) => {
    if (one.owner === undefined || !below.has(one.owner)) return false;
    if (one.kind === 'subagent') below.add(one.event.childTurnId);
    return true;
  });
  close(draft, under);
  const subagents = new Map(draft.view.subagents);
  for (const id of below) subagents.delete(id);
  const isOfEnded = (one: OpenPart): boolean =>
    one.kind === 'subagent' && one.event.childTurnId === childTurnId;
  set(draft, { subagents, open: draft.view.open.filter((one) => !isOfEnded(one)) });
  emit(draft, { owner, type: 'subagent.ended', event, failure: ended.failure });
}

function endTurn(draft: Draft, owner: Owner, event: EventOf<'turn.ended'>): void {
  if (owner !== undefined) return endReply(draft, owner);
  close(draft, draft.view.open, true);
  abandon(draft, [...draft.view.calls.values()], 'ended');
  const unsent = event.text.slice(sentSoFar(draft.view.text).length);
  emit(draft, { owner, type: 'ended', event, unsent });
}

/** The turn of a subagent has ended, and with it its calls; `subagent.ended`, an event of its parent's, follows. */
function endReply(draft: Draft, owner: Owner): void {
  closeStep(draft, owner, true);
  for (const call of draft.view.calls.values()) {
    if (call.owner === owner && isRunning(call)) setCall(draft, { ...call, start: undefined });
  }
}

/** Closes open things, the last to begin first. */
function close(draft: Draft, things: readonly OpenPart[], isCut = false): void {
  if (things.length === 0) return;
  set(draft, { open: draft.view.open.filter((one) => !things.includes(one)) });
  for (const thing of things.toReversed()) {
    const change = closingOf(draft.view, thing, isCut);
    if (change !== undefined) emit(draft, change);
  }
}

function closingOf(view: TurnView, thing: OpenPart, isCut: boolean): TurnChange | undefined {
  const { owner } = thing;
  switch (thing.kind) {
    case 'part':
      return { owner, type: 'part.closed', part: thing.part, isCut };
    case 'input': {
      const call = view.calls.get(thing.key);
      return call && { owner, type: 'input.closed', call, rest: '' };
    }
    case 'step':
      return { owner, type: 'step.closed', step: thing.step };
    case 'subagent':
      return { owner, type: 'subagent.closed', event: thing.event };
  }
}

function abandon(draft: Draft, calls: readonly OpenCall[], why: 'discarded' | 'parked' | 'ended') {
  if (why !== 'parked') forget(draft, calls);
  for (const call of calls) emit(draft, { owner: call.owner, type: 'call.abandoned', call, why });
}

function newCall(
  { callCount: index }: TurnView,
  owner: Owner,
  named: { callId: string; name: string; step: number },
): OpenCall {
  const key = keyOf(owner, named.callId);
  return { ...named, key, owner, index, json: '', isWhole: false };
}

function keyOf(owner: Owner, callId: string): string {
  return owner === undefined ? callId : `${owner}:${callId}`;
}

function isInputOpen({ open }: TurnView, { key }: OpenCall): boolean {
  return open.some((one) => one.kind === 'input' && one.key === key);
}

function setCall(draft: Draft, call: OpenCall): void {
  set(draft, { calls: new Map(draft.view.calls).set(call.key, call) });
}

function forget(draft: Draft, gone: readonly OpenCall[]): void {
  if (gone.length === 0) return;
  const calls = new Map(draft.view.calls);
  for (const { key } of gone) calls.delete(key);
  set(draft, { calls });
}

function setSpeaker(draft: Draft, owner: Owner, change: Partial<Author>): void {
  const { turn, subagents } = draft.view;
  if (owner === undefined) return set(draft, { turn: { ...turn, ...change } });
  const subagent = subagents.get(owner);
  if (subagent === undefined) return;
  set(draft, { subagents: new Map(subagents).set(owner, { ...subagent, ...change }) });
}

function set(draft: Draft, change: Partial<TurnView>): void {
  draft.view = { ...draft.view, ...change };
}

function emit(draft: Draft, change: TurnChange): void {
  draft.changes.push(change);
}
