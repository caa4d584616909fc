import { Inject, Injectable } from '@nestjs/common';
import type { NoticePosted } from '../../events/turn-event.js';
import { DATABASE, type Queryable } from '../../storage/connection.js';
import { updateFenced } from '../../storage/update-fenced.js';
import { turns } from '../../storage/schema.js';
import { TurnCompactor } from './turn-compactor.js';
import { elideForGood, EVERY_STEP } from './elide-for-good.js';
import { elideOutputs, isElidable } from './elide-outputs.js';
import type { TurnRun } from '../state/turn-run.js';

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
    const { frame, summary, earlierTurns } = run;
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
