import { Inject, Injectable } from '@nestjs/common';
import { clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import { DATABASE, type Queryable } from '../../storage/connection.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import type { TurnTranscript } from './build-messages.js';
import { TurnCompactor } from './turn-compactor.js';
import type { ConversationFiles } from './conversation-files.js';
import { elideForGood } from './history-shortener.js';
import { elideOutputs } from './elide-outputs.js';
import { refusalOf } from '../state/left-out.js';
import type { StoredTurn } from '../state/stored-turn.js';
import type { RequestFrame } from './request-frame.js';
import { sentTurns } from './sent-turns.js';
import { TranscriptBuilder } from './transcript-builder.js';
import { contextBefore } from '../state/turn-state.js';
import type { Compaction, Attempt } from '../state/attempt.js';

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
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  frame: RequestFrame;
  files: Pick<ConversationFiles, 'show'>;
}

/** Opens the conversation before a turn, as the model is sent it. */
@Injectable()
export class HistoryOpener {
  constructor(
    @Inject(DATABASE) private readonly db: Queryable,
    private readonly transcripts: TranscriptBuilder,
    private readonly compactor: TurnCompactor,
  ) {}

  /**
   * Compacts a conversation that fills too much of the window. Where that fails, or the turn cannot pay
   * for it, the outputs of old tool calls are cut instead: the turn goes on in either case.
   */
  async open(attempt: Attempt, source: HistorySource): Promise<History> {
    const before = source.compaction ?? undefined;
    const after = afterCompaction(source.earlier, before?.throughTurnId);
    const kept = sentTurns(after, attempt.storedParts);
    const compaction = isAnnounced(after, before) ? undefined : before;
    const ownTurn = openedTurn(attempt);
    const shown = await source.files.show([...this.transcripts.build(kept), ownTurn]);
    const [all, own = ownTurn] = [shown.slice(0, -1), shown.at(-1)];
    const { model } = attempt.turn.options.options;
    const full = this.transcripts.fullContext(model);
    // A turn with steps was sent this conversation before: it goes on with the same bytes.
    const hasBegun = attempt.progress.steps.length > 0;
    // Turns that a client told of have no count of the provider's.
    const counted = kept.findLastIndex(({ steps }) => contextBefore([{ steps }]) > 0);
    const tokens = contextBefore(kept) + this.transcripts.estimate(all.slice(counted + 1), model);
    const refusedTurns = kept.flatMap(({ turn }) =>
      refusalOf(turn.failure ?? undefined) === undefined ? [] : [turn.id],
    );
    const whole = { earlierTurns: all, summary: before?.summary, compaction, refusedTurns, own };
    if (hasBegun || tokens < full || kept.length <= KEPT_TURNS) return whole;
    const [turns, last] = [all.slice(0, -KEPT_TURNS), all.slice(-KEPT_TURNS)];
    const made = await this.compactor.compact(attempt, {
      turns,
      summary: before?.summary,
      contextTokens: tokens,
      todos: source.todos ?? [],
      files: namesOfFiles(source.earlier),
      frame: source.frame,
    });
    if (!('problem' in made)) {
      return { earlierTurns: last, summary: made.summary, compaction: made, refusedTurns, own };
    }
    attempt.writer.emit(notCompacted(made.problem));
    await elideForGood(
      this.db,
      turns.map(({ turnId }) => turnId),
    );
    const cut = turns.map((turn) => elideOutputs(turn));
    return { ...whole, earlierTurns: [...cut, ...last] };
  }
}

/** The turn as an attempt finds it. */
function openedTurn({ turn, storedParts, progress }: Attempt): TurnTranscript {
  const { steps, results, notices, steered } = progress;
  const { id: turnId, status, endReason } = turn;
  const beside = { notices, steered, status, endReason };
  return { turnId, userParts: [], asked: storedParts, steps, results, ...beside };
}

function notCompacted(problem: string): TurnEventBody {
  return clientNotice(
    'message',
    'compaction-failed',
    `The conversation could not be summarised: ${problem}. The old outputs of tools were cut to their beginnings.`,
  );
}

/** Names of the files of all turns: a summary of summaries names them too. */
export function namesOfFiles(turns: readonly StoredTurn[]): string[] {
  const names = turns.flatMap(({ userParts }) =>
    userParts.flatMap((part) => (part.type === 'text' ? [] : [part.file.name])),
  );
  return [...new Set(names)];
}

/** The turns that no summary replaces. */
export function afterCompaction(
  turns: readonly StoredTurn[],
  throughTurnId: string | undefined,
): readonly StoredTurn[] {
  return turns.slice(turns.findIndex(({ turn }) => turn.id === throughTurnId) + 1);
}

function isAnnounced(turns: readonly StoredTurn[], compaction: Compaction | undefined): boolean {
  if (compaction === undefined) return false;
  const mark = compactionMark(compaction.id);
  return turns.some(({ notices }) => notices.some((notice) => notice.mark === mark));
}

/** The mark of the notice that announces a summary. */
function compactionMark(id: string): string {
  return `compact-summary:${id}`;
}
