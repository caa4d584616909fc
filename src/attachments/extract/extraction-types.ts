/** The bytes of a file, or a function that loads them when its extraction starts. */
export type FileContent = Buffer | (() => Promise<Buffer>);

export type TextSource = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'csv' | 'html' | 'text';

/** A file that cannot be read. */
export type Refused = {
  type: 'refused';
  /** A sentence for the user and the model, without paths of the server. */
  reason: string;
  /** The server lacks something that may be there the next time. */
  isPassing?: true;
};

/**
 * The pages of a PDF by the way they were read; each list as people write page numbers: `1–3, 7`.
 */
export interface PagesRead {
  /** Pages read by their text layer. */
  text?: string;
  /** Pages read by OCR. */
  ocr?: string;
  /** Pages read by OCR that are hardly legible. */
  doubtful?: string;
  /** Pages whose pictures were not read. */
  unread?: string;
  /** The reason why those pictures were not read. */
  why?: string;
}

export type TextOutcome =
  | (Omit<ExtractedText, 'isPartial'> & {
      type: 'text';
      /** Whether the end of the text is missing. */
      isCut: boolean;
    })
  | Refused;

export type PdfOutcome =
  | {
      type: 'pdf';
      pages: number;
      /** Whether the PDF is encrypted, though it opens without a password. */
      isLocked: boolean;
    }
  | Refused;

export type ImageOutcome =
  | { type: 'fits'; width: number; height: number }
  | {
      type: 'changed';
      content: Buffer;
      mimeType: string;
      width: number;
      height: number;
      /** The change that was made, as `turned upright`. */
      why: string;
    }
  | Refused;

export interface ImageLimits {
  maxBytes: number;
  /** Pixels of the longer side. */
  maxSide: number;
}

/** The text of a file, before it is cut to the budget. */
export interface ExtractedText {
  text: string;
  via: 'text' | 'ocr';
  /** Number of pages of a PDF. */
  pages?: number;
  /** Whether a part of the file was left out. */
  isPartial?: boolean;
  /** The pages of a PDF by the way they were read; absent when all are text layer. */
  pagesRead?: PagesRead;
  /** A doubt about the text, as `it is hardly legible`; absent: none. */
  doubt?: string;
  /** A part is missing that may be there the next time, as the server lacks something. */
  isPassing?: true;
}

/** Limits of what is extracted from a file. */
export interface ExtractionBudget {
  /** Characters that are kept. */
  maxChars: number;
  /** Time after which OCR begins no other page, in ms. */
  ocrMs: number;
}

/** The note in place of what an extractor does not read, with the text that its author gave for it. */
export function notRead(kind: string, described = ''): string {
  return `[${kind}, not read${described.trim() === '' ? '' : `: ${described.trim()}`}]`;
}

/** The note in place of a part that a document names and does not have. */
export function missing(kind: string, described = ''): string {
  return `[${kind}, missing from the file${described.trim() === '' ? '' : `: ${described.trim()}`}]`;
}

/** A remark on a text, as a comment or a note. @param author empty: not known. */
export function remark(kind: string, author: string, text: string): string {
  return `[${kind}${author === '' ? '' : ` by ${author}`}: ${text}]`;
}

/** A fault that a file's sender can do something about; its message completes "The file …". */
export class FileFault extends Error {}

/** A job for an extractor process, on one file. */
export type ExtractionJob =
  | ({ kind: 'text'; source: TextSource } & ExtractionBudget)
  | ({ kind: 'image-text' } & ExtractionBudget)
  | { kind: 'pages' }
  | ({ kind: 'fit-image' } & ImageLimits);

interface Outcomes {
  text: TextOutcome;
  'image-text': TextOutcome;
  pages: PdfOutcome;
  'fit-image': ImageOutcome;
}

export type OutcomeOf<Job extends ExtractionJob> = Outcomes[Job['kind']];
export type ExtractionOutcome = Outcomes[keyof Outcomes];

/** A job and its files. Content goes through files: the IPC channel would block while it copies. */
export interface ExtractionRequest {
  job: ExtractionJob;
  /** Path of the file to extract from. */
  file: string;
  /** Path for a file that the job makes. */
  made: string;
}

/** The outcome, except that a changed image's content is in the made file. */
export type ExtractionAnswer =
  | Exclude<ExtractionOutcome, { type: 'changed' | 'refused' }>
  /** `fault` is the parser's error, for the log alone. */
  | (Refused & { fault?: string })
  | Omit<Extract<ExtractionOutcome, { type: 'changed' }>, 'content'>;
