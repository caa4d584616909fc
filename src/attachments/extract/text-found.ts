/** Text of a file, before it is cut. */
export interface TextFound {
  text: string;
  via: 'text' | 'ocr';
  pages?: number;
  /** Whether a part of the file was not looked at. */
  isPartial?: boolean;
}

/** How much of a file is worth reading. */
export interface ReadBudget {
  /** Characters that are kept. */
  maxChars: number;
  /** How long OCR may go on, in ms: what it has by then is better than nothing. */
  ocrMs: number;
}
