import type { Requester } from '../../attachments/extract/requester.js';
import { afterCompaction } from '../prompt/history-opener.js';
import type { StoredTurn } from '../state/load-turn.js';
import { sentTurns } from '../prompt/sent-turns.js';
import { openShower } from '../prompt/file-showers.js';
import type { Attempt } from '../state/turn-run.js';
import type { Compaction } from '../queue/turn-claims.js';
import type { TurnServices } from '../state/turn-services.js';

interface ReadConversation {
  asker: Requester;
  earlier: readonly StoredTurn[];
  compaction: Compaction | null;
}

/**
 * Has the files of a turn and of the conversation before it read. It comes before room in memory is
 * asked for: a turn that waits for slow files holds neither that nor a slot of the worker.
 *
 * @throws what stops the asker's wait.
 */
export async function readFiles(
  services: TurnServices,
  attempt: Attempt,
  { earlier, compaction, asker }: ReadConversation,
): Promise<void> {
  const { turn, storedParts } = attempt;
  const shower = openShower(services, turn.options.options, {
    sessionId: turn.sessionId,
    asker,
  });
  // In the order in which they are shown: the newest get room first.
  await shower.extract(storedParts);
  const sent = sentTurns(afterCompaction(earlier, compaction?.throughTurnId), storedParts);
  for (const { userParts } of sent.toReversed()) await shower.extract(userParts);
}
