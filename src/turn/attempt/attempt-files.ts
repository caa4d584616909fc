import { Injectable } from '@nestjs/common';
import { Attachments } from '../../attachments/attachments.js';
import type { Requester } from '../../attachments/file-memory.js';
import { maxNativeBytes } from '../../attachments/choose-showing.js';
import type { FileShower } from '../../attachments/show-files.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { untilAborted } from '../../platform/async/abort.js';
import { canonicalJson } from '../../platform/json.js';
import type { AttachmentRef } from '../../storage/shapes/stored-step.js';
import { ConversationFiles, countImages, filesOf } from '../prompt/conversation-files.js';
import { FileShowers } from '../prompt/file-showers.js';
import { afterCompaction } from '../prompt/history-opener.js';
import { sentTurns } from '../prompt/sent-turns.js';
import type { Compaction, Attempt } from '../state/attempt.js';
import type { StoredTurn } from '../state/stored-turn.js';
import type { WithoutSlot } from '../state/worker-terms.js';

interface FileSource {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  compaction: Compaction | null;
  withoutSlot: WithoutSlot;
}

/** Prepares the files of an attempt. */
@Injectable()
export class AttemptFiles {
  constructor(
    private readonly attachments: Attachments,
    private readonly showers: FileShowers,
  ) {}

  /**
   * Extracts the files of the turn and of the conversation before it, then reserves memory for them: a
   * turn that waits for slow files has neither memory nor a slot.
   *
   * @returns releases the memory.
   * @throws the lease's reason when it ends.
   */
  async prepare(
    attempt: Attempt,
    { earlier, compaction, withoutSlot }: FileSource,
  ): Promise<() => void> {
    const { storedParts, progress } = attempt;
    const sent = sentTurns(afterCompaction(earlier, compaction?.throughTurnId), storedParts);
    const turns = [
      ...sent.map(({ userParts: asked, calls }) => ({
        asked,
        results: new Map(calls.map((call) => [call.callId, call])),
      })),
      { asked: storedParts, results: progress.results },
    ];
    const shower = this.openShower(attempt, withoutSlot, countImages(turns));
    // Files in the order in which they are shown, the newest first.
    for (const { asked, results } of turns.toReversed()) {
      for (const { files } of [...results.values()].toReversed()) await shower.extract(files ?? []);
      await shower.extract(filesOf(asked));
    }
    const files = turns.flatMap(({ asked, results }) => [
      ...filesOf(asked),
      ...[...results.values()].flatMap((result) => result.files ?? []),
    ]);
    const bytes = Math.min(maxNativeBytes, sizeOf(files));
    return this.attachments.memory.reserve(bytes, requesterOf(attempt, withoutSlot));
  }

  /** Opens what shows the files of an attempt's conversation. */
  openConversation(attempt: Attempt, withoutSlot: WithoutSlot): ConversationFiles {
    const known = new Set(attempt.archived.map(keyOfEvent));
    return new ConversationFiles({
      open: (images) => this.openShower(attempt, withoutSlot, images),
      rules: () => attempt.turn.options.options.model,
      turnId: attempt.turn.id,
      // An earlier attempt may have emitted some.
      emit: (event) => {
        if (!known.has(canonicalJson(event))) attempt.writer.emit(event);
      },
    });
  }

  openShower(attempt: Attempt, withoutSlot: WithoutSlot, images: number): FileShower {
    const { sessionId, options } = attempt.turn;
    const requester = requesterOf(attempt, withoutSlot);
    return this.showers.open(options.options, { sessionId, requester, images });
  }
}

/** The turn gives its slot away while its files are extracted, and waits no longer than its lease. */
export function requesterOf({ turn, lease }: Attempt, withoutSlot: WithoutSlot): Requester {
  return {
    principalId: turn.principalId,
    wait: (work) => untilAborted(withoutSlot(work), lease.signal),
  };
}

function sizeOf(files: readonly AttachmentRef[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function keyOfEvent({ at: _at, seq: _seq, attempt: _attempt, ...body }: TurnEvent): string {
  return canonicalJson(body);
}
