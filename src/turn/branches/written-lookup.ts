import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { DATABASE, type Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { WrittenFiles } from '../../storage/shapes/stored-turn.js';
import { ToolRegistry } from '../../tools/registry.js';
import type { Attempt } from '../state/attempt.js';
import type { StoredTurn } from '../state/stored-turn.js';
import { findWritten, joinWritten } from './written-files.js';

/** Finds the files that a turn's model must be told of, as what wrote them is not in its conversation. */
@Injectable()
export class WrittenLookup {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly tools: ToolRegistry,
  ) {}

  /**
   * Makes a statement for a turn that replaces another, and for no other turn.
   *
   * @param earlier the turns of the conversation before.
   */
  async find(
    { turn, session }: Pick<Attempt, 'turn' | 'session'>,
    earlier: readonly Pick<StoredTurn, 'turn'>[],
  ): Promise<WrittenFiles | undefined> {
    const { forkedFrom } = session;
    const isUntold = earlier.every((other) => other.turn.copiedFrom !== null);
    const ofSource = isUntold ? forkedFrom?.written : undefined;
    return joinWritten(
      ofSource,
      turn.replaces === null ? undefined : await this.#ofReplaced(turn.id),
    );
  }

  async #ofReplaced(turnId: string): Promise<WrittenFiles | undefined> {
    const superseded = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.supersededBy, turnId));
    const ids = superseded.map(({ id }) => id);
    return findWritten(this.db, this.tools.list(), ids);
  }
}
