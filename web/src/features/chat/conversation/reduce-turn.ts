import type { HarnessFrameName, HarnessFrames } from '#src/wires/harness/dialect/harness-frames.js';
import { addUsage } from '#src/events/turn-event.js';
import { compact } from '#src/platform/compact.js';
import { isPlainObject } from '#src/platform/json.js';
import { allTokens } from '../../../components/format.js';
import { distinctSources, keyOfSource } from './cite-text.js';
import { reduceTool, type ViewFrames } from './reduce-tool.js';
import type { AnyFrame, Item, TextItem, ThinkingItem, TurnFault, TurnView } from './turn-view.js';

/** A frame of a turn, not of its subagents. */
export type OwnFrame = {
  [Name in HarnessFrameName]: { event: Name; data: ViewFrames[Name] };
}[HarnessFrameName];

const RELAYED = 'subagent:';

/**
 * The view after one more frame. Pure. An unknown frame changes nothing, so that a newer server may
 * send more.
 */
export function reduceTurn(view: TurnView, { event, data }: AnyFrame): TurnView {
  const own = ownName(event);
  if (own === event) return reduceOwn(view, { event, data } as OwnFrame);
  const { parentToolUseId } = data as { parentToolUseId: string };
  return inChild(view, parentToolUseId, (child) => reduceTurn(child, { event: own, data }));
}

/** The name without the prefixes of a relayed frame, however deep the subagent is. */
function ownName(event: string): string {
  let name = event;
  while (name.startsWith(RELAYED)) {
    const rest = name.slice(RELAYED.length);
    if (rest === 'start' || rest === 'end') return name;
    name = rest;
  }
  return name;
}

/** Changes the subagent of a call, at any depth. */
function inChild(view: TurnView, callId: string, change: (child: TurnView) => TurnView): TurnView {
  let found = false;
  const items = view.items.map((item) => {
    if (found || item.kind !== 'tool' || item.child === undefined) return item;
    const child = item.key === callId ? change(item.child) : inChild(item.child, callId, change);
    if (child === item.child) return item;
    found = true;
    return { ...item, child };
  });
  return found ? { ...view, items } : view;
}

function reduceOwn(before: TurnView, frame: OwnFrame): TurnView {
  // Whatever comes, the worker answers again, or another one does.
  const view: TurnView = before.phase === 'stalled' ? { ...before, phase: 'running' } : before;
  switch (frame.event) {
    case 'turn:stalled':
      return { ...view, phase: 'stalled' };
    case 'turn:queued':
      return { ...view, phase: 'queued', position: frame.data.position };
    case 'session:init':
      return running({ ...view, agent: frame.data.agent, model: frame.data.model });
    case 'turn:recovering':
      return { ...closeText(view), phase: 'recovering' };
    case 'turn:parked':
      return { ...closeText(view), phase: 'parked' };
    case 'step:start':
      return running({ ...view, step: frame.data.step });
    case 'step:discard':
      return discard(view, frame.data.step);
    case 'step:end':
      return endStep(view, frame.data);
    case 'chat:delta':
      return addText(view, 'text', frame.data);
    case 'thinking:delta':
      return addText(view, 'thinking', frame.data);
    case 'source':
      return cite(view, frame.data);
    case 'system:notice':
    case 'message:joined':
    case 'attachment:warning':
      return addAside(view, frame);
    case 'turn:error':
      return { ...view, fault: faultOf(frame.data) };
    case 'turn:end':
      return { ...end(view), ...frame.data };
    case 'process:exit':
      return end(view);
    case 'chat:complete':
    case 'session:complete':
    // The client goes on with the next token by itself.
    case 'session:reauthenticate':
      return view;
    case 'output:partial':
      return {
        ...view,
        output: { step: frame.data.step, value: frame.data.output, isFinal: false },
      };
    case 'output:final':
      return {
        ...view,
        output: { step: view.step, value: frame.data.output, isFinal: true },
      };
    case 'tool:request':
    case 'tool:args':
    case 'tool:start':
    case 'tool:progress':
    case 'tool:result':
    case 'approval:request':
    case 'approval:resolve':
    case 'subagent:start':
    case 'subagent:end':
      return reduceTool(view, frame);
    default:
      return view;
  }
}

function faultOf(failed: HarnessFrames['turn:error']): TurnFault {
  const { errorType: type, message, details, retryable, retryAfterMs, requestId } = failed;
  const reason = isPlainObject(details) ? (details['reason'] ?? details['category']) : undefined;
  const known = typeof reason === 'string' ? reason : undefined;
  const badReplyStep = type === 'OUTPUT_INVALID' ? stepOf(details) : undefined;
  const words = { type, message, reason: known, retryable, retryAfterMs, requestId };
  return compact({ ...words, badReplyStep });
}

function stepOf(details: unknown): number | undefined {
  const step = isPlainObject(details) ? details['step'] : undefined;
  return typeof step === 'number' ? step : undefined;
}

function running(view: TurnView): TurnView {
  const { position: _none, ...rest } = view;
  return { ...rest, phase: 'running' };
}

function end(view: TurnView): TurnView {
  const { output, ...rest } = showSources(closeText(view));
  // An incomplete object is not shown as one: the text is shown as it arrived.
  return { ...rest, ...(output?.isFinal === true ? { output } : {}), phase: 'ended' };
}

/** Keeps a source for the end of its step, and marks the end of the text that it is about. */
function cite(view: TurnView, source: HarnessFrames['source']): TurnView {
  const sources = [...view.sources, source];
  const last = view.items.at(-1);
  if (last?.kind !== 'text' || last.step !== source.step) return { ...view, sources };
  const ofStep = distinctSources(sources.filter(({ step }) => step === source.step));
  const number = ofStep.findIndex((one) => keyOfSource(one) === keyOfSource(source)) + 1;
  const marked = { ...last, marks: [...(last.marks ?? []), { at: last.text.length, number }] };
  return { ...view, sources, items: [...view.items.slice(0, -1), marked] };
}

function showSources(view: TurnView): TurnView {
  const { sources, items, step } = view;
  if (sources.length === 0) return view;
  const shown: Item = { kind: 'sources', key: `sources-${items.length}`, step, sources };
  return { ...view, sources: [], items: [...items, shown] };
}

/** Removes the items of a discarded step. */
function discard(view: TurnView, step: number): TurnView {
  const isKept = (item: Item): boolean => !('step' in item) || item.step !== step;
  return {
    ...view,
    items: view.items.filter(isKept),
    sources: view.sources.filter((source) => source.step !== step),
  };
}

function endStep(view: TurnView, { step, usage }: HarnessFrames['step:end']): TurnView {
  return {
    ...showSources(closeText(view)),
    step,
    stepsDone: view.stepsDone + 1,
    usage: view.usage === undefined ? usage : addUsage(view.usage, usage),
    // A failed model call has no usage.
    ...(allTokens(usage) === 0 ? {} : { contextTokens: allTokens(usage) }),
  };
}

function addText(
  view: TurnView,
  kind: 'text' | 'thinking',
  { text, step }: { text: string; step: number },
): TurnView {
  const last = view.items.at(-1);
  if (last?.kind === kind && last.step === step && last.isOpen) {
    const grown: TextItem | ThinkingItem = { ...last, text: last.text + text };
    return { ...resumeView(view), items: [...view.items.slice(0, -1), grown] };
  }
  const closed = closeText(view);
  const item: TextItem | ThinkingItem = {
    kind,
    key: `${kind}-${step}-${view.itemSerial}`,
    step,
    text,
    isOpen: true,
  };
  return { ...resumeView(closed), items: [...closed.items, item], itemSerial: view.itemSerial + 1 };
}

/** Any new text means that the turn is running. */
function resumeView(view: TurnView): TurnView {
  return view.phase === 'running' ? view : running(view);
}

/** Closes the last text: later deltas begin a new item. */
function closeText(view: TurnView): TurnView {
  const last = view.items.at(-1);
  if ((last?.kind !== 'text' && last?.kind !== 'thinking') || !last.isOpen) return view;
  return { ...view, items: [...view.items.slice(0, -1), { ...last, isOpen: false }] };
}

type AsideName = 'system:notice' | 'message:joined' | 'attachment:warning';

function addAside(view: TurnView, frame: Extract<OwnFrame, { event: AsideName }>): TurnView {
  const closed = closeText(view);
  const aside = asideOf(frame, `aside-${view.itemSerial}`);
  return { ...closed, items: [...closed.items, aside], itemSerial: view.itemSerial + 1 };
}

function asideOf(frame: Extract<OwnFrame, { event: AsideName }>, key: string): Item {
  switch (frame.event) {
    case 'system:notice': {
      const { kind: noticeKind, text, metadata = {}, seenByModel } = frame.data;
      return { kind: 'notice', key, noticeKind, text, metadata, seenByModel };
    }
    case 'message:joined':
      return { kind: 'steered', key, text: frame.data.text };
    case 'attachment:warning':
      return { kind: 'rejected-file', key, name: frame.data.name, reason: frame.data.reason };
  }
}
