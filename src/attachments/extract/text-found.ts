/** Text of a file, before it is cut. */
export interface TextFound {
  text: string;
  via: 'text' | 'ocr';
  pages?: number;
}
