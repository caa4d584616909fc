import type { PagesRead } from './outcomes.js';

/** The text of a file, before it is cut to the budget. */
export interface ExtractedText {
  text: string;
  via: 'text' | 'ocr';
  pages?: number;
  /** Whether a part of the file was left out. */
  isPartial?: boolean;
  /** The pages of a PDF by the way they were read; absent when all are text layer. */
  pagesRead?: PagesRead;
  /** A doubt about the text; absent: none. */
  doubt?: string;
  /** Whether more is extracted once the server has what it lacks. */
  isPassing?: boolean;
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
