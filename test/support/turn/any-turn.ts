import * as fc from 'fast-check';
import {
  noUsage,
  type TurnEvent,
  type TurnEventBody,
  type TurnOutcome,
} from '../../../src/events/turn-event.js';

/** A turn that ended, as its log has it. */
export interface AnyTurn {
  events: TurnEvent[];
  /** Ids of approvals that it asked for, in order. */
  asked: string[];
  /** Ids of messages that were steered into it, in order. */
  steered: string[];
}

/** The name of the only tool of the client. */
export const clientTool = 'pick_color';

type CallKind = 'runs' | 'fails' | 'approved' | 'declined' | 'client';

/** A try of a step that is discarded. */
interface LostTry {
  /** Whether the log has its beginning. */
  hasBegun: boolean;
  texts: string[];
  isCited: boolean;
  hasCall: boolean;
  hasNotice: boolean;
  /** Whether its process died: another attempt discards it. */
  isCrash: boolean;
}

interface AnyStep {
  /** In order, before the try that counts. */
  lost: LostTry[];
  thoughts: string[];
  texts: string[];
  isCited: boolean;
  calls: { kind: CallKind; pieces: string[] }[];
  hasNotice: boolean;
  isSteered: boolean;
}

const words = fc.array(fc.constantFrom('a', 'word ', '\n', '"é😀', 'z'.repeat(40)), {
  maxLength: 4,
});
const call = fc.record({
  kind: fc.constantFrom<CallKind>('runs', 'fails', 'approved', 'declined', 'client'),
  pieces: fc.constantFrom<string[]>([], ['{}'], ['{"of":', '"sky"', '}']),
});
const lostTry = fc.record<LostTry>({
  hasBegun: fc.boolean(),
  texts: words,
  isCited: fc.boolean(),
  hasCall: fc.boolean(),
  hasNotice: fc.boolean(),
  isCrash: fc.boolean(),
});
const step = fc.record<AnyStep>({
  lost: fc.array(lostTry, { maxLength: 2 }),
  thoughts: words,
  texts: words,
  isCited: fc.boolean(),
  calls: fc.array(call, { maxLength: 3 }),
  hasNotice: fc.boolean(),
  isSteered: fc.boolean(),
});

/** Any turn: steps that say, think, cite and call, are lost and made again, wait for people, are steered. */
export const anyTurn: fc.Arbitrary<AnyTurn> = fc
  .record({
    steps: fc.array(step, { maxLength: 4 }),
    outcome: fc.constantFrom<TurnOutcome>('completed', 'limited', 'interrupted', 'failed'),
    note: fc.constantFrom('', '\n\n[Stopped]'),
  })
  .map(({ steps, outcome, note }) => toTurn(steps, outcome, note));

function toTurn(steps: readonly AnyStep[], outcome: TurnOutcome, note: string): AnyTurn {
  const log = new Log();
  log.add(
    { type: 'turn.queued', position: 1 },
    {
      type: 'turn.started',
      sessionId: 'sess_1',
      messageId: 'msg_1',
      agent: 'READER',
      model: 'a-model',
      providerSessionId: '',
      resumed: false,
      contextWindow: 200_000,
      maxTurns: 50,
    },
  );
  steps.forEach((one, index) => addStep(log, index + 1, one));
  const text = steps.flatMap(({ texts }) => texts).join('') + note;
  if (outcome === 'failed') {
    const failure = {
      phase: 'mid-stream',
      errorType: 'SDK_FAILURE',
      message: 'Broke',
      retryable: false,
    } as const;
    log.add({ type: 'turn.failed', ...failure, status: 529, severity: 'error', fatal: true });
  }
  const end = { outcome, exitCode: 0, reason: 'end_turn', text, usage: noUsage, durationMs: 1 };
  log.add({ type: 'turn.ended', ...end });
  return { events: log.events, asked: log.asked, steered: log.steered };
}

function addStep(log: Log, number: number, one: AnyStep): void {
  one.lost.forEach((lost, index) => addLost(log, number, `lost${number}-${index}`, lost));
  log.add({ type: 'step.started', step: number });
  log.add(...one.thoughts.map((text) => ({ type: 'thinking.delta' as const, step: number, text })));
  log.add(...one.texts.map((text) => ({ type: 'text.delta' as const, step: number, text })));
  if (one.isCited) log.add({ type: 'source.cited', step: number, source });
  const calls = one.calls.map((given, index) => ({ ...given, callId: `c${number}-${index}` }));
  for (const { callId, kind, pieces } of calls) {
    log.add({ type: 'tool.requested', step: number, callId, name: nameOf(kind) });
    log.add(...pieces.map((json) => ({ type: 'tool.args.delta' as const, callId, json })));
  }
  log.add({ type: 'step.ended', step: number, stopReason: 'end_turn', usage: noUsage });
  ask(log, calls);
  for (const { callId, kind } of calls) {
    const name = nameOf(kind);
    const runs = kind !== 'client' && kind !== 'declined';
    if (runs) log.add({ type: 'tool.started', callId, name, input: { of: callId } });
    const status = kind === 'fails' ? 'error' : kind === 'declined' ? 'denied' : 'success';
    log.add({ type: 'tool.ended', callId, name, status, output: `out ${callId}`, durationMs: 1 });
  }
  if (one.hasNotice) log.add({ type: 'notice.posted', ...notice });
  if (!one.isSteered) return;
  const messageId = `msg_steered_${number}`;
  log.steered.push(messageId);
  log.add({ type: 'message.joined', messageId, afterStep: number, text: 'And this' });
}

function addLost(log: Log, number: number, callId: string, lost: LostTry): void {
  if (lost.hasBegun) {
    log.add({ type: 'step.started', step: number });
    log.add(...lost.texts.map((text) => ({ type: 'text.delta' as const, step: number, text })));
    if (lost.isCited) log.add({ type: 'source.cited', step: number, source });
    if (lost.hasCall) log.add({ type: 'tool.requested', step: number, callId, name: 'read' });
    if (lost.hasNotice) log.add({ type: 'notice.posted', ...notice });
  }
  if (lost.isCrash) {
    log.attempt += 1;
    log.add({ type: 'turn.recovering', reason: 'the process that ran the turn stopped' });
  }
  log.add({ type: 'step.discarded', step: number });
}

const source = { type: 'web', title: 'A page', url: 'https://a.example/' };
const notice = { kind: 'budget', level: 'step', text: 'Half', seenByModel: true } as const;

/** The questions about calls, the pause for them, and their answers in the next attempt. */
function ask(log: Log, calls: readonly { callId: string; kind: CallKind }[]): void {
  const asked = calls.filter(({ kind }) => kind !== 'runs' && kind !== 'fails');
  if (asked.length === 0) return;
  const approvalIds = asked.map(({ callId }) => `appr_${callId}`);
  log.asked.push(...approvalIds);
  const terms = { reason: 'A rule asks', expiresAt: '', onTimeout: 'deny' } as const;
  for (const { callId, kind } of asked) {
    log.add({
      type: 'approval.requested',
      approvalId: `appr_${callId}`,
      callId,
      name: nameOf(kind),
      input: { of: callId },
      kind: kind === 'client' ? 'client-tool' : 'tool',
      ...terms,
    });
  }
  log.add({ type: 'turn.parked', approvalIds });
  log.attempt += 1;
  for (const { callId, kind } of asked) {
    const decision = kind === 'client' ? 'answer' : kind === 'declined' ? 'deny' : 'approve';
    const approvalId = `appr_${callId}`;
    log.add({ type: 'approval.resolved', approvalId, callId, decision, by: 'ann' });
  }
}

function nameOf(kind: CallKind): string {
  return kind === 'client' ? clientTool : 'read';
}

class Log {
  readonly events: TurnEvent[] = [];
  readonly asked: string[] = [];
  readonly steered: string[] = [];
  attempt = 1;

  add(...bodies: readonly TurnEventBody[]): void {
    for (const body of bodies) {
      const { attempt } = this;
      const seq = this.events.filter((event) => event.attempt === attempt).length + 1;
      this.events.push({ ...body, attempt, seq, at: '2026-01-01T00:00:00.000Z' });
    }
  }
}
