import { checkAgreement } from './check-agreement.mjs';
import { checkObject } from './check-object.mjs';
import { checkReader } from './check-reader.mjs';
import { foldTurn } from './fold-turn.mjs';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').TurnRows} TurnRows */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/** Milliseconds within which a reader must come back to count as present; below the server's grace. */
export const SURELY_BACK_MS = 3_000;

/** Milliseconds within which a turn ends after its interrupt was acknowledged. */
const INTERRUPT_MS = 15_000;

const terminal = ['completed', 'limited', 'interrupted', 'failed'];

/**
 * Checks a turn: its readers alone, its readers against the whole log, and both against the database.
 *
 * @param {TurnHistory} history
 * @param {TurnRows | undefined} rows undefined: the database does not have it
 * @returns {Violation[]}
 */
export function checkTurn(history, rows) {
  const { turnId, readers, fresh } = history;
  const found = readers.flatMap((reader) => checkReader(turnId, reader));
  const report = (/** @type {ViolationKind} */ kind, /** @type {string} */ note) =>
    found.push({ kind, turnId, note });
  const others = history.postedAs.filter((id) => id !== turnId);
  if (others.length > 0) report('key-ignored', `also answered as ${others.join(', ')}`);
  if (fresh !== undefined) {
    found.push(...checkReader(turnId, fresh));
    for (const reader of readers) found.push(...checkAgreement(turnId, reader, fresh.frames));
  }
  if (rows === undefined) {
    report('turn-missing', 'no row in the database');
    return found;
  }
  for (const reader of fresh === undefined ? readers : [...readers, fresh]) {
    if (!reader.hasLeft) found.push(...checkReceived(turnId, reader, rows));
  }
  found.push(...checkRows(rows), ...checkCause(history, rows), ...checkObject(history, rows));
  return found;
}

/**
 * @param {string} turnId
 * @param {import('../types.js').ReaderHistory} reader
 * @param {TurnRows} rows
 * @returns {Violation[]}
 */
function checkReceived(turnId, { name, frames }, { turn, replyText, calls }) {
  const folded = foldTurn(frames);
  /** @type {Violation[]} */
  const found = [];
  if (folded.end === undefined) return found;
  for (const text of [folded.text, folded.completeText]) {
    if (text === undefined || text === replyText) continue;
    const note = `${name} reads ${excerpt(text)}, stored is ${excerpt(replyText)}`;
    found.push({ kind: 'text-differs', turnId, note });
  }
  const { outcome, reason } = folded.end;
  const received = [outcome, folded.end.exitCode, reason, folded.exitCode].join(' ');
  const stored = [turn.status, turn.exitCode, turn.endReason, turn.exitCode].join(' ');
  if (received !== stored) {
    found.push({ kind: 'end-differs', turnId, note: `${name}: ${received}; stored: ${stored}` });
  }
  for (const { callId, name: tool, status } of calls) {
    const result = folded.results.get(callId);
    if (result === status) continue;
    const note = `${name}: ${tool} ${callId} is ${String(result)}, stored is ${status}`;
    found.push({ kind: 'result-differs', turnId, note });
  }
  return found;
}

/**
 * @param {TurnRows} rows
 * @returns {Violation[]}
 */
function checkRows({ turn, calls, assistantMessages }) {
  const turnId = turn.id;
  if (!terminal.includes(turn.status)) {
    return [
      {
        kind: 'active-left',
        turnId,
        note: `${turn.status}, attempt ${turn.attempt}${turn.isLeased ? ', leased' : ''}`,
      },
    ];
  }
  /** @type {Violation[]} */
  const found = [];
  if (turn.isLeased) found.push({ kind: 'leaked-lease', turnId, note: turn.status });
  if (assistantMessages !== 1) {
    const kind = assistantMessages > 1 ? 'two-ends' : 'no-end';
    found.push({ kind, turnId, note: `${assistantMessages} assistant messages are stored` });
  }
  for (const { callId, name, status } of calls) {
    if (status !== 'claimed') continue;
    found.push({ kind: 'open-call', turnId, note: `${name} ${callId}` });
  }
  return found;
}

/**
 * Checks that the turn's end has a cause.
 *
 * @param {TurnHistory} history
 * @param {TurnRows} rows
 * @returns {Violation[]}
 */
function checkCause({ plan, turnId, readers, interruptedAt }, { turn }) {
  if (turn.status === 'failed' && !plan.mayFail) {
    return [{ kind: 'failed-without-cause', turnId, note: String(turn.endReason) }];
  }
  const endedAt = turn.endedAt ?? Infinity;
  if (interruptedAt !== undefined && turn.status !== 'interrupted') {
    const lateMs = endedAt - interruptedAt;
    if (lateMs <= INTERRUPT_MS) return [];
    return [{ kind: 'interrupt-ignored', turnId, note: `${turn.status} after ${lateMs} ms` }];
  }
  if (turn.status !== 'interrupted') return [];
  const away = Math.max(...readers.map((reader) => reader.maxAwayMs));
  const mayLeave =
    plan.onDisconnect === 'cancel' &&
    (plan.abandonAfter !== undefined || readers.length === 0 || away >= SURELY_BACK_MS);
  const isExplained =
    turn.endReason === 'disconnect' ? mayLeave : plan.interruptAfter !== undefined;
  if (isExplained) return [];
  const note = `${turn.endReason}; onDisconnect ${plan.onDisconnect}, away for ${away} ms at most`;
  return [{ kind: 'cancelled-without-cause', turnId, note }];
}

/** @param {string} text */
function excerpt(text) {
  const shown = text.length > 120 ? `${text.slice(0, 60)} … ${text.slice(-60)}` : text;
  return `${text.length} characters, ${JSON.stringify(shown)}`;
}
