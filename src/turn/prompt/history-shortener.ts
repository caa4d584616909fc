import { Inject, Injectable } from '@nestjs/common';
import { inArray } from 'drizzle-orm';
import type { NoticePosted } from '../../events/turn-event.js';
import { DATABASE, type Queryable } from '../../storage/connection.js';
import { updateFenced } from '../../storage/update-fenced.js';
import { turns } from '../../storage/schema.js';
import { TurnCompactor } from './turn-compactor.js';
import { elideOutputs, isElidable } from './elide-outputs.js';
import type { TurnRun } from '../state/turn-run.js';

/** More steps than any turn has. */
const EVERY_STEP = 2_147_483_647;

/** Whether the requests of a run can be shorter. Pure. */
export function canShorten(run: Pick<TurnRun, 'earlierTurns' | 'progress'>): boolean {
  const { elidedThrough, results } = run.progress;
  return run.earlierTurns.length > 0 || (elidedThrough < EVERY_STEP && isElidable(results));
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
   * @returns false where there is nothing to shorten.
   */
  async shorten(run: TurnRun): Promise<boolean> {
    if (!canShorten(run)) return false;
    if (run.earlierTurns.length === 0) {
      await elideOwn(run);
      return true;
    }
    const { frame } = run.model;
    const { summary, earlierTurns } = run;
    const made = await this.compactor.compact(run, {
      turns: earlierTurns,
      summary,
      contextTokens: frame.model.contextWindow,
      todos: run.watch.todos,
      files: run.files,
      frame,
    });
    if (!('problem' in made)) {
      run.earlierTurns = [];
      run.summary = made.summary;
      run.writer.emit(shortened('The conversation before this turn was summarised.'));
      return true;
    }
    await elideForGood(
      this.db,
      earlierTurns.map(({ turnId }) => turnId),
    );
    run.earlierTurns = earlierTurns.map((turn) => elideOutputs(turn));
    await elideOwn(run);
    return true;
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

async function elideOwn(run: TurnRun): Promise<void> {
  run.progress.elidedThrough = EVERY_STEP;
  await run.writer.commit(
    [shortened('The outputs of tools were cut to their beginnings.')],
    [updateFenced(turns, turns.id, { elidedThrough: EVERY_STEP })],
  );
}

function shortened(how: string): NoticePosted {
  return {
    type: 'notice.posted',
    kind: 'window-full',
    level: 'step',
    text: `The model's window is full. ${how}`,
    seenByModel: false,
  };
}
