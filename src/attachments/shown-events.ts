import type { TurnEventBody } from '../events/turn-event.js';
import { compact } from '../platform/compact.js';
import type { PagesRead } from './extract/outcomes.js';

/** The form in which the model is shown a file. */
export interface ShownFile {
  name: string;
  /** See `AttachmentRef`. */
  index?: number;
  as: 'image' | 'pdf' | 'document' | 'text' | 'nothing';
  /** Reason for showing the file changed. */
  why?: string;
  /** The change that was made to the file before. */
  changed?: string;
  via?: 'text' | 'ocr';
  isCut?: boolean;
  pages?: number;
  pagesRead?: PagesRead;
  /** A doubt about the extracted text. */
  doubt?: string;
  /** The limit of a whole request that changed it or left it out, for people. Absent: none did. */
  limit?: string;
}

/** Events on how files are shown to the model, for the client; none for unchanged files. Pure. */
export function shownEvents(files: readonly ShownFile[]): TurnEventBody[] {
  return files.flatMap((file): TurnEventBody[] => {
    const { name, index, as, why, changed } = file;
    if (as === 'nothing') {
      return [
        compact({ type: 'attachment.rejected' as const, name, reason: why ?? 'unknown', index }),
      ];
    }
    const text = describe(file);
    if (text === undefined) return [];
    const { via, isCut, pages, pagesRead, doubt } = file;
    return [
      {
        type: 'notice.posted',
        kind: 'attachment-shown',
        level: 'message',
        text,
        metadata: compact({ name, index, as, why, changed, via, isCut, pages, pagesRead, doubt }),
        seenByModel: false,
      },
    ];
  });
}

function describe(file: ShownFile): string | undefined {
  const { name, as, why = '', changed, via, isCut, pagesRead, doubt } = file;
  if (as !== 'text') return changed === undefined ? undefined : `${name}: ${changed}`;
  const how = via === 'ocr' ? 'as text read by OCR' : 'as text';
  return [
    `${name} is shown to the model ${how}: ${why}`,
    ...(pagesRead === undefined ? [] : describeRead(pagesRead, via === 'ocr')),
    ...(doubt === undefined ? [] : [doubt]),
    ...(isCut === true ? ['its end is cut off'] : []),
  ].join('; ');
}

function describeRead(
  { text, ocr, doubtful, unread, why }: PagesRead,
  isAllOcr: boolean,
): string[] {
  return [
    ...(text === undefined || isAllOcr ? [] : [`${pagesOf(text)} by the text layer`]),
    ...(ocr === undefined || isAllOcr ? [] : [`${pagesOf(ocr)} by OCR`]),
    ...(doubtful === undefined ? [] : [`${pagesOf(doubtful)} hardly legible`]),
    ...(unread === undefined ? [] : [`${pagesOf(unread)} not read: ${why ?? 'unknown'}`]),
  ];
}

const pagesOf = (numbers: string): string =>
  `${/[–,]/.test(numbers) ? 'pages' : 'page'} ${numbers}`;
