import type { NoticePosted } from '../../events/turn-event.js';
import type { Attempt } from '../state/attempt.js';

/** Emits a notice, unless an earlier attempt did. */
export function emitOnce(
  { archived, writer }: Pick<Attempt, 'archived' | 'writer'>,
  notice: NoticePosted,
): void {
  const isKnown = archived.some(
    (event) =>
      event.type === 'notice.posted' && event.kind === notice.kind && event.text === notice.text,
  );
  if (!isKnown) writer.emit(notice);
}
