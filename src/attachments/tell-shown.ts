import type { TurnEventBody } from '../events/turn-event.js';

/** How the model is shown one file. */
export interface ShownFile {
  name: string;
  as: 'image' | 'pdf' | 'document' | 'text' | 'nothing';
  /** Why it is not shown as it is. */
  why?: string;
  /** What was done to it before. */
  changed?: string;
  via?: 'text' | 'ocr';
  isCut?: boolean;
  pages?: number;
}

/** What a client is told of how its files are shown; nothing of those shown as they are. Pure. */
export function tellShown(files: readonly ShownFile[]): TurnEventBody[] {
  return files.flatMap((file): TurnEventBody[] => {
    const { name, as, why, changed } = file;
    if (as === 'nothing') return [{ type: 'attachment.rejected', name, reason: why ?? 'unknown' }];
    const text = describe(file);
    if (text === undefined) return [];
    const { via, isCut, pages } = file;
    const metadata = { name, as, why, changed, via, isCut, pages };
    return [
      {
        type: 'notice.posted',
        kind: 'attachment-shown',
        level: 'message',
        text,
        metadata: Object.fromEntries(
          Object.entries(metadata).filter(([, value]) => value !== undefined),
        ),
        seenByModel: false,
      },
    ];
  });
}

function describe({ name, as, why, changed, via, isCut }: ShownFile): string | undefined {
  if (as !== 'text') return changed === undefined ? undefined : `${name}: ${changed}`;
  const how = via === 'ocr' ? 'as text read by OCR' : 'as text';
  return `${name} is shown to the model ${how}: ${why ?? ''}${isCut === true ? '; its end is cut off' : ''}`;
}
