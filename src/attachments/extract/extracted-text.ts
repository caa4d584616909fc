import type { PagesRead } from './outcomes.js';

/** Text of a file, before it is cut. */
export interface ExtractedText {
  text: string;
  via: 'text' | 'ocr';
  pages?: number;
  /** Whether a part of the file was not looked at. */
  isPartial?: boolean;
  /** Of a PDF of which not all is its text layer. */
  pagesRead?: PagesRead;
  /** What of it is likely to be wrong, or missing. Absent: nothing. */
  doubt?: string;
  /** Whether more of it is read once the server has what it lacks. */
  isPassing?: boolean;
}

/** How much of a file is worth reading. */
export interface ExtractionBudget {
  /** Characters that are kept. */
  maxChars: number;
  /** How long OCR may go on, in ms: what it has by then is better than nothing. */
  ocrMs: number;
}
