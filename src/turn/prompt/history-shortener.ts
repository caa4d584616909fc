import { Inject, Injectable } from '@nestjs/common';
import { eq, inArray } from 'drizzle-orm';
import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { DATABASE, type Queryable } from '../../storage/connection.js';
import { updateTurnKind } from '../../storage/write-kind.js';
import { compactions, turns } from '../../storage/schema.js';
import type { SentConversation, Undo } from './sent-conversation.js';
import { TurnCompactor } from './turn-compactor.js';
import { elideOutputs, isElidable } from './elide-outputs.js';
import type { Attempt, Progress } from '../state/attempt.js';
import type { TurnRun } from '../state/turn-run.js';

/** More steps than any turn has. */
const EVERY_STEP = 2_147_483_647;

/** The members of a run that shortening needs. */
type FullRun = Attempt & Pick<TurnRun, 'model' | 'conversation' | 'watch'>;

/** Whether the requests of a run can be shorter. Pure. */
export function canShorten(
  { earlierTurns }: Pick<SentConversation, 'earlierTurns'>,
  { elidedThrough, results }: Progress,
): boolean {
  return earlierTurns.length > 0 || (elidedThrough < EVERY_STEP && isElidable(results));
}

/** Shortens the requests of a run whose model's window is full. */
@Injectable()
export class HistoryShortener {
  constructor(
    @Inject(DATABASE) private readonly db: Queryable,
    private readonly compactor: TurnCompactor,
  ) {}

  /**
   * Replaces the turns before the run by a summary, or, where there is none, cuts the outputs of all
   * tools; a turn without others before it loses the outputs of its own.
   *
   * @returns what takes it back; undefined where there is nothing to shorten.
   */
  async shorten(run: FullRun): Promise<Undo | undefined> {
    const { conversation, watch } = run;
    const { summary, earlierTurns, files } = conversation;
    const { frame } = run.model;
    if (!canShorten(conversation, run.progress)) return undefined;
    if (earlierTurns.length === 0) {
      return elideOwn(run);
    }
    const restore = (): void => void Object.assign(conversation, { earlierTurns, summary });
    const made = await this.compactor.compact(run, {
      turns: earlierTurns,
      summary,
      contextTokens: frame.model.contextWindow,
      todos: watch.todos,
      files,
      frame,
    });
    if (!('problem' in made)) {
      conversation.earlierTurns = [];
      conversation.summary = made.summary;
      run.writer.emit(shortened('The conversation before this turn was summarised.'));
      return async () => {
        await this.db.delete(compactions).where(eq(compactions.id, made.id));
        restore();
      };
    }
    const ids = earlierTurns.map(({ turnId }) => turnId);
    const before = await this.db
      .select({ id: turns.id, elidedThrough: turns.elidedThrough })
      .from(turns)
      .where(inArray(turns.id, ids));
    await elideForGood(this.db, ids);
    conversation.earlierTurns = earlierTurns.map((turn) => elideOutputs(turn));
    const showOwn = await elideOwn(run);
    return async () => {
      for (const { id, elidedThrough } of before)
        await this.db.update(turns).set({ elidedThrough }).where(eq(turns.id, id));
      restore();
      await showOwn();
    };
  }
}

/** Marks these turns as sent with the outputs of their tools cut to their beginnings. */
export async function elideForGood(db: Queryable, turnIds: readonly string[]): Promise<void> {
  if (turnIds.length === 0) return;
  await db
    .update(turns)
    .set({ elidedThrough: EVERY_STEP })
    .where(inArray(turns.id, [...turnIds]));
}

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
