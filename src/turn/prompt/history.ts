import { inArray } from 'drizzle-orm';
import { clientNotice, type NoticePosted, type TurnEventBody } from '../../events/turn-event.js';
import { isSameJson } from '../../platform/json.js';
import { turns, compactions } from '../../storage/schema.js';
import { updateTurnKind, writeKind } from '../../storage/write-kind.js';
import type { Attempt, Compaction, Progress } from '../state/attempt.js';
import type {
  AttemptContext,
  RequestFrame,
  SentConversation,
  ShownFiles,
  TurnTranscript,
} from '../state/attempt-context.js';
import { refusalOf } from './left-out-turns.js';
import type { PastTurn } from '../state/past-turn.js';
import { contextBefore } from '../state/turn-state.js';
import { compactBefore } from './compaction.js';
import { openedTurn } from './model-request.js';
import type { StoredPart, Todo } from '../../storage/shapes/stored-step.js';
import {
  buildTranscripts,
  elideOutputs,
  estimateTurns,
  fullContext,
  isElidable,
} from './transcripts.js';

/** The last turns are never summarised: the user refers to them. */
const KEPT_TURNS = 1;

export interface History {
  earlierTurns: TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The compaction, when this turn is the first to get its summary. */
  compaction: Compaction | undefined;
  /** Those of the turns that ended with a refusal of the provider. */
  refusedTurns: readonly string[];
  /** The turn itself, with its files. */
  own: TurnTranscript;
}

export interface HistorySource {
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  frame: RequestFrame;
  files: ShownFiles;
}

/** More steps than any turn has. */
const EVERY_STEP = 2_147_483_647;

/**
 * Opens the conversation before a turn, as the model is sent it. Compacts a conversation that fills too much of the
 * window. Where that fails, or the turn cannot pay for it, the outputs of old tool calls are cut instead: the turn
 * goes on in either case.
 */
export async function openHistory(attempt: Attempt, source: HistorySource): Promise<History> {
  const { services, turn, progress } = attempt;
  const before = source.compaction ?? undefined;
  const kept = sentBefore(attempt, before);
  const after = afterCompaction(attempt.earlier, before?.throughTurnId);
  const compaction = isAnnounced(after, before) ? undefined : before;
  const ownTurn = openedTurn(attempt);
  const shown = await source.files.show([...buildTranscripts(services, kept), ownTurn]);
  const [all, own = ownTurn] = [shown.slice(0, -1), shown.at(-1)];
  const { model } = turn.options.options;
  const full = fullContext(services, model);
  // A turn with steps was sent this conversation before: it goes on with the same bytes.
  const hasBegun = progress.steps.length > 0;
  // Turns that a client told of have no count of the provider's.
  const counted = kept.findLastIndex((turn) => contextBefore([turn]) > 0);
  const uncounted = estimateTurns(all.slice(counted + 1), services.models.describe(model));
  const tokens = contextBefore(kept) + uncounted;
  const refusedTurns = kept.flatMap((one) =>
    refusalOf(one.turn.failure ?? undefined) === undefined ? [] : [one.turn.id],
  );
  const whole = { earlierTurns: all, summary: before?.summary, compaction, refusedTurns, own };
  if (hasBegun || tokens < full || kept.length <= KEPT_TURNS) return whole;
  const [old, last] = [all.slice(0, -KEPT_TURNS), all.slice(-KEPT_TURNS)];
  const made = await compactBefore(attempt, {
    turns: old,
    summary: before?.summary,
    contextTokens: tokens,
    todos: source.todos ?? [],
    files: namesOfFiles(attempt.earlier),
    frame: source.frame,
  });
  if (!('problem' in made)) {
    return { earlierTurns: last, summary: made.summary, compaction: made, refusedTurns, own };
  }
  attempt.writer.emit(notCompacted(made.problem));
  await elideForGood(
    attempt,
    old.map(({ turnId }) => turnId),
  );
  const cut = old.map((one) => elideOutputs(one));
  return { ...whole, earlierTurns: [...cut, ...last] };
}

/** The earlier turns with files that the requests of an attempt contain, as they are before their files are shown. */
export function turnsWithFiles(attempt: Attempt, compaction: Compaction | null): TurnTranscript[] {
  const sent = sentBefore(attempt, compaction ?? undefined);
  return buildTranscripts(attempt.services, sent.filter(hasStoredFiles));
}

/** The earlier turns that the requests of an attempt contain, where this compaction stands for those before it. */
export function sentBefore(
  { earlier, storedParts }: Pick<Attempt, 'earlier' | 'storedParts'>,
  compaction: Compaction | undefined,
): PastTurn[] {
  return sentTurns(afterCompaction(earlier, compaction?.throughTurnId), storedParts);
}

function hasStoredFiles({ userParts, calls }: PastTurn): boolean {
  return (
    userParts.some(({ type }) => type === 'file') ||
    calls.some(({ files }) => files !== null && files.length > 0)
  );
}

/**
 * The turns of a session that a later turn's requests contain. A turn that the provider refused is
 * left out for good; of a question that was asked again after it failed, only the last try is in.
 * Pure.
 *
 * @param next the user's parts of the turn that follows.
 */
export function sentTurns<T extends Pick<PastTurn, 'turn' | 'userParts' | 'steps' | 'steered'>>(
  turns: readonly T[],
  next: readonly StoredPart[],
): T[] {
  const sent: T[] = [];
  let asked = next;
  for (const turn of turns.toReversed()) {
    if (turn.turn.leftOut !== null) continue;
    if (isEmptyFailure(turn) && isSameJson(turn.userParts, asked)) continue;
    sent.push(turn);
    asked = turn.userParts;
  }
  return sent.reverse();
}

function isEmptyFailure({
  turn,
  steps,
  steered,
}: Pick<PastTurn, 'turn' | 'steps' | 'steered'>): boolean {
  return (
    turn.status === 'failed' &&
    steered.length === 0 &&
    steps.every(({ parts }) => parts.length === 0)
  );
}

function notCompacted(problem: string): TurnEventBody {
  return clientNotice(
    'message',
    'compaction-failed',
    `The conversation could not be summarised: ${problem}. The old outputs of tools were cut to their beginnings.`,
  );
}

/** Names of the files of all turns: a summary of summaries names them too. */
export function namesOfFiles(turns: readonly PastTurn[]): string[] {
  const names = turns.flatMap(({ userParts }) =>
    userParts.flatMap((part) => (part.type === 'text' ? [] : [part.file.name])),
  );
  return [...new Set(names)];
}

/** The turns that no summary replaces. */
export function afterCompaction(
  turns: readonly PastTurn[],
  throughTurnId: string | undefined,
): readonly PastTurn[] {
  if (throughTurnId === undefined) return turns;
  return turns.slice(turns.findIndex(({ turn }) => turn.id === throughTurnId) + 1);
}

function isAnnounced(turns: readonly PastTurn[], compaction: Compaction | undefined): boolean {
  if (compaction === undefined) return false;
  const mark = compactionMark(compaction.id);
  return turns.some(({ notices }) => notices.some((notice) => notice.mark === mark));
}

/** The mark of the notice that announces a summary. */
function compactionMark(id: string): string {
  return `compact-summary:${id}`;
}

/** Whether the requests of an attempt can be shorter. Pure. */
export function canShorten(
  { earlierTurns }: Pick<SentConversation, 'earlierTurns'>,
  { elidedThrough, results }: Progress,
): boolean {
  return earlierTurns.length > 0 || (elidedThrough < EVERY_STEP && isElidable(results));
}

/** What takes a shortening back. */
export type Undo = () => Promise<void>;

/**
 * Shortens the requests of an attempt whose model's window is full: replaces the turns before it by a summary, or,
 * where there is none, cuts the outputs of all tools; a turn without others before it loses the outputs of its own.
 *
 * @returns what takes it back; undefined where there is nothing to shorten.
 */
export async function shorten(context: AttemptContext): Promise<Undo | undefined> {
  const { services, conversation, triggers, model } = context;
  const { db } = services;
  const { summary, earlierTurns, fileNames: files } = conversation;
  const { frame } = model;
  if (!canShorten(conversation, context.progress)) return undefined;
  conversation.broken ??= 'messages';
  if (earlierTurns.length === 0) return elideOwn(context);
  const restore = (): void => void Object.assign(conversation, { earlierTurns, summary });
  const made = await compactBefore(context, {
    turns: earlierTurns,
    summary,
    contextTokens: frame.model.contextWindow,
    todos: triggers.todos,
    files,
    frame,
  });
  if (!('problem' in made)) {
    conversation.earlierTurns = [];
    conversation.summary = made.summary;
    context.writer.emit(shortened('The conversation before this turn was summarised.'));
    return async () => {
      await context.writer.commit([], [dropCompaction({ id: made.id })]);
      restore();
    };
  }
  const ids = earlierTurns.map(({ turnId }) => turnId);
  const before = await db
    .select({ id: turns.id, elidedThrough: turns.elidedThrough })
    .from(turns)
    .where(inArray(turns.id, ids));
  await elideForGood(context, ids);
  conversation.earlierTurns = earlierTurns.map((turn) => elideOutputs(turn));
  const showOwn = await elideOwn(context);
  return async () => {
    await context.writer.commit(
      [],
      before.map((turn) => elideEarlier(turn)),
    );
    restore();
    await showOwn();
  };
}

/** Marks these turns as sent with the outputs of their tools cut to their beginnings. */
async function elideForGood(
  { writer, progress }: Pick<Attempt, 'writer' | 'progress'>,
  turnIds: readonly string[],
): Promise<void> {
  if (turnIds.length === 0) return;
  progress.hasElidedEarlier = true;
  await writer.commit(
    [],
    turnIds.map((id) => elideEarlier({ id, elidedThrough: EVERY_STEP })),
  );
}

// By the fence of the attempt: the worker that took its turn over has read these rows.
const { id, elidedThrough } = turns;
const elideEarlier = writeKind(
  { id, elidedThrough },
  (input) => `update turns set elided_through = input."elidedThrough" from ${input} input
    where turns.id = input.id and turns.session_id = input.fence_session`,
);
const dropCompaction = writeKind(
  { id: compactions.id },
  (input) => `delete from compactions using ${input} input
    where compactions.id = input.id and compactions.session_id = input.fence_session`,
);
const storeElided = updateTurnKind(turns, ['elidedThrough']);

async function elideOwn({ progress, writer }: Attempt): Promise<Undo> {
  const { elidedThrough } = progress;
  progress.elidedThrough = EVERY_STEP;
  await writer.commit(
    [shortened('The outputs of tools were cut to their beginnings.')],
    [storeElided({ elidedThrough: EVERY_STEP })],
  );
  return async () => {
    progress.elidedThrough = elidedThrough;
    await writer.commit([], [storeElided({ elidedThrough })]);
  };
}

function shortened(how: string): NoticePosted {
  return clientNotice('step', 'window-full', `The model's window is full. ${how}`);
}
