import { EventWriter } from '../events/event-writer.js';
import type { Lease } from './lease.js';
import { loadSessionTurns, type StoredTurn } from './load-turn.js';
import { getTurn } from './turn-lookup.js';
import type { Claim } from './turn-claims.js';
import type { Attempt } from './turn-run.js';
import type { TurnServices } from './turn-services.js';
import { assistantMessageId } from './view-messages.js';

/**
 * Opens an attempt: fences off earlier ones in the log, and loads what they stored. What it gives
 * is enough to end the turn, whatever goes wrong after.
 */
export async function openAttempt(
  services: TurnServices,
  claim: Claim,
  lease: Lease,
): Promise<{ attempt: Attempt; earlier: StoredTurn[] }> {
  const { db, log, clock, tools } = services;
  const turn = await getTurn(db, claim.turnId);
  await log.begin(turn.id, claim.attempt);
  // A session has one turn at a time: while this one is active, all others came before it.
  const conversation = await loadSessionTurns(db, turn.sessionId);
  const stored = conversation.find((other) => other.turn.id === turn.id);
  const writer = new EventWriter({
    log,
    db,
    clock,
    turnId: turn.id,
    attempt: claim.attempt,
    onFailure: (error) => {
      services.logger.warn({ turnId: turn.id, error }, 'a write of the turn failed');
      lease.end('lost');
    },
  });
  const attempt: Attempt = {
    turn,
    attempt: claim.attempt,
    messageId: assistantMessageId(turn.id),
    clock,
    lease,
    writer,
    effectOf: (name) => tools.select([name]).tools[0]?.effect,
    progress: {
      steps: (stored?.steps ?? []).map(({ step, parts, stopReason, usage }) => ({
        step,
        parts,
        stopReason,
        usage,
      })),
      results: new Map((stored?.calls ?? []).map((call) => [call.callId, call])),
      draft: undefined,
    },
    storedParts: stored?.userParts ?? [],
  };
  return { attempt, earlier: conversation.filter((other) => other.turn.id !== turn.id) };
}
