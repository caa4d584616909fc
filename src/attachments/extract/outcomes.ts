/** The bytes of a file, or what gets them when it is its turn. */
export type FileContent = Buffer | (() => Promise<Buffer>);

export type TextSource = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'csv' | 'html' | 'text';

/** A sentence for the user and the model; it names no path of the server. */
export type Refused = {
  type: 'refused';
  reason: string;
  /** Whether the server lacks something that may be there the next time. */
  isPassing?: true;
};

/** Which pages of a PDF were read how, as people write page numbers: `1–3, 7`. */
export interface PagesRead {
  /** By their text layer. */
  text?: string;
  ocr?: string;
  /** Of those that OCR read, which are hardly legible. */
  doubtful?: string;
  /** Whose pictures were not read. */
  unread?: string;
  /** Why they were not. */
  why?: string;
}

export type TextOutcome =
  | {
      type: 'text';
      text: string;
      /** Whether the end of it is missing. */
      isCut: boolean;
      /** Of a PDF. */
      pages?: number;
      pagesRead?: PagesRead;
      /** What of it is likely to be wrong, or missing, as `it is hardly legible`. */
      doubt?: string;
      via: 'text' | 'ocr';
      /** Whether the server lacks something that may be there the next time. */
      isPassing?: true;
    }
  | Refused;

export type PdfOutcome =
  | {
      type: 'pdf';
      pages: number;
      /** Whether it is encrypted, though it opens without a password. */
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
      /** What was done to it, as `turned upright`. */
      why: string;
    }
  | Refused;

export interface ImageLimits {
  maxBytes: number;
  /** Pixels of the longer side. */
  maxSide: number;
}
