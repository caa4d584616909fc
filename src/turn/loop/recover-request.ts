import type { NoticePosted } from '../../events/turn-event.js';
import { refusalKind } from '../../provider/refusal-kind.js';
import { releaseReservation } from '../budgets/release-reservation.js';
import { isThinking } from '../prompt/message-list.js';
import type { Attempt } from '../state/attempt.js';
import type { TurnRun } from '../state/turn-run.js';

type RefusedRun = Attempt & Pick<TurnRun, 'model' | 'conversation' | 'ports'>;

/**
 * Changes the requests of a run after the provider refused one, where that helps: a prompt that is
 * too long is shortened, thinking that is bound elsewhere is left out for good. Each is tried once
 * a turn.
 *
 * @returns whether the call is to be made again.
 */
export async function recoverRequest(run: RefusedRun, thrown: unknown): Promise<boolean> {
  const kind = refusalKind(thrown);
  const { conversation } = run;
  if (kind === undefined || conversation.recovered.has(kind)) return false;
  conversation.recovered.add(kind);
  switch (kind) {
    case 'prompt-too-long':
      await releaseReservation(run, run.ports.db);
      return conversation.shorten();
    case 'thinking-bound':
      await releaseReservation(run, run.ports.db);
      return dropThinking(run);
    case 'invalid':
      return false;
  }
}

/** Earlier replies are sent without their thinking from now on, in this turn and later ones. */
function dropThinking({ conversation, model, turn, progress, writer }: RefusedRun): boolean {
  const steps = [...conversation.earlierTurns, { turnId: turn.id, steps: progress.steps }].flatMap(
    ({ turnId, steps: ofTurn }) =>
      ofTurn.filter(({ parts }) => parts.some(isThinking)).map(({ step }) => `${turnId}:${step}`),
  );
  const last = steps.at(-1);
  if (last === undefined) return false;
  model.frame = { ...model.frame, thinkingAfter: last };
  conversation.prefix = { ...conversation.prefix, thinkingAfter: last };
  conversation.isPrefixStored = false;
  writer.emit(thinkingDropped);
  return true;
}

const thinkingDropped: NoticePosted = {
  type: 'notice.posted',
  kind: 'thinking-dropped',
  level: 'step',
  text: 'The provider did not take the thinking of earlier replies back: it is left out from now on.',
  seenByModel: false,
};
