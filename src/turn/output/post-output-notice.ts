import type { StoredNotice } from '../../notices/notice.js';
import { insertNotice } from '../state/stored-turn.js';
import type { Attempt } from '../state/attempt.js';
import type { TurnRun } from '../state/turn-run.js';
import { isReplyOpen } from '../prompt/open-server-tools.js';
import { formatMark, formatNotice, type OutputNotice } from './output-notices.js';

/**
 * Posts a notice that the model has with its next call, and every later one: stored first, so that neither
 * a crash nor another try posts it again.
 */
export async function postOutputNotice(
  { progress, writer, turn, clock }: Attempt,
  notice: OutputNotice,
): Promise<void> {
  const afterStep = progress.steps.at(-1)?.step ?? 0;
  const position = progress.notices.filter((other) => other.afterStep === afterStep).length;
  const stored: StoredNotice = {
    ...notice,
    level: 'step',
    seenByModel: true,
    afterStep,
    position,
  };
  const { kind, level, text, metadata, seenByModel } = stored;
  await writer.commit(
    [{ type: 'notice.posted', kind, level, text, metadata, seenByModel }],
    [insertNotice({ ...stored, turnId: turn.id, createdAt: new Date(clock.now()) })],
  );
  progress.notices = [...progress.notices, stored];
}

/** Tells a model that has no format for its replies which object to end with, once a turn. */
export async function postFormat(run: Attempt & Pick<TurnRun, 'model'>): Promise<void> {
  const { output } = run.turn.options.options;
  if (output === undefined || run.model.frame.outputSchema !== undefined) return;
  if (run.progress.notices.some(({ mark }) => mark === formatMark)) return;
  // A paused reply goes on where it stopped: nothing can stand between its parts.
  if (isReplyOpen(run.progress.steps)) return;
  await postOutputNotice(run, formatNotice(output.schema));
}
