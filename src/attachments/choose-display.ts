import { assertNever } from '../platform/assert-never.js';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { clientNotice, type TurnEventBody } from '../events/turn-event.js';
import { compact } from '../platform/compact.js';
import { mediaKind } from './check-file.js';
import type { TextSource, PagesRead } from './extract/extraction-types.js';

/** Pages of a PDF that the model takes at most. */
export const maxNativePages = 100;
/** Bytes of unchanged files in one conversation: the API takes requests of 32 MB, in base64. */
export const maxNativeBytes = 20 * 1024 * 1024;

/**
 * The form in which the model is shown a file; `why` explains to the client a form other than the
 * file itself.
 */
export type DisplayForm =
  | { as: 'image' }
  | { as: 'pdf'; pages: number }
  | { as: 'document' }
  | ({ as: 'text'; source: TextSource } & LimitedText)
  | ({ as: 'image-text' } & LimitedText)
  | { as: 'nothing'; why: string };

export interface LimitedText {
  why: string;
  /** The other files of the request are the reason. Absent: the file alone is. */
  isLimited?: true;
}

export interface DisplayFacts {
  /** The form that the agent prefers. */
  preferredForm: 'native' | 'text';
  seesImages: boolean;
  readsPdfs: boolean;
  /** Pages of a PDF; undefined when they could not be counted. */
  pages: number | undefined;
  /** Whether a PDF is encrypted: the model takes no encrypted PDF. */
  isLocked?: boolean;
  /** Bytes of unchanged files that still fit in the conversation. */
  bytesLeft: number;
  /** Images and pages that still fit in the conversation. Absent: any number. */
  pagesLeft?: number;
}

/** Whether a file may be shown as an image. */
export function isImage({ mimeType }: AttachmentRef): boolean {
  return mediaKind(mimeType) === 'image';
}

/** The files of an output that the model may be shown in some form. The others are for people alone. */
export function shownFilesOf({
  files,
}: {
  files?: readonly AttachmentRef[] | null;
}): AttachmentRef[] {
  return (files ?? []).filter(({ mimeType }) => mediaKind(mimeType) !== 'other');
}

const officeSources: Readonly<Record<string, TextSource>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
};

/** Chooses how the model is shown a file. Pure. */
export function chooseDisplay({ mimeType, size }: AttachmentRef, facts: DisplayFacts): DisplayForm {
  const kind = mediaKind(mimeType);
  switch (kind) {
    case 'image':
      return showImage(size, facts);
    case 'pdf':
      return showPdf(size, facts);
    case 'text':
      return mimeType === 'text/html'
        ? { as: 'text', source: 'html', why: 'the model reads no HTML pages' }
        : { as: 'document' };
    case 'office': {
      const source = officeSources[mimeType];
      if (source === undefined) return { as: 'nothing', why: 'its type is not known' };
      return { as: 'text', source, why: 'the model reads no office documents' };
    }
    case 'other':
      return { as: 'nothing', why: 'its type cannot be shown' };
    default:
      return assertNever(kind);
  }
}

function showImage(
  size: number,
  { preferredForm, seesImages, bytesLeft }: DisplayFacts,
): DisplayForm {
  if (preferredForm === 'text') return { as: 'image-text', why: 'the agent asks for text' };
  if (!seesImages) return { as: 'image-text', why: 'the model sees no images' };
  if (size > bytesLeft)
    return { as: 'image-text', why: 'the conversation has too many files', isLimited: true };
  return { as: 'image' };
}

function showPdf(size: number, facts: DisplayFacts): DisplayForm {
  const text = (why: string) => ({ as: 'text' as const, source: 'pdf' as const, why });
  if (facts.preferredForm === 'text') return text('the agent asks for text');
  if (!facts.readsPdfs) return text('the model reads no PDF files');
  if (facts.isLocked === true) return text('it is protected, and the model takes no such PDF');
  if (facts.pages !== undefined && facts.pages > maxNativePages) {
    return text(`it has ${facts.pages} pages, and the model takes ${maxNativePages}`);
  }
  if (size > facts.bytesLeft) {
    const why = 'it is too large to be sent beside the other files of the conversation';
    return size > maxNativeBytes
      ? text('it is too large to be sent as it is')
      : { ...text(why), isLimited: true };
  }
  const { pages = 1, pagesLeft = Infinity } = facts;
  if (pages <= pagesLeft) return { as: 'pdf', pages };
  return { ...text('the conversation has too many images and pages'), isLimited: true };
}

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
    const details = { name, index, as, why, changed, via, isCut, pages, pagesRead, doubt };
    return [clientNotice('message', 'attachment-shown', text, compact(details))];
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
