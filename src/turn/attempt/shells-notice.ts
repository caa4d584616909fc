import type { NoticePosted } from '../../events/turn-event.js';
import { describeShells, type Shells } from '../../tools/sandbox/shells.js';

/** What a turn's reader should know of its commands; nothing where they run in a sandbox. Pure. */
export function shellsNotice(shells: Shells): NoticePosted | undefined {
  if (shells.kind === 'sandboxed') return undefined;
  return {
    type: 'notice.posted',
    kind: shells.kind === 'off' ? 'commands-off' : 'commands-unsandboxed',
    level: 'message',
    text: shells.kind === 'off' ? shells.explanation : `bash is ${describeShells(shells)}`,
    metadata: { reason: shells.reason },
    seenByModel: false,
  };
}
