/** Facts about a page that are known without OCR. */
export interface PageFacts {
  /** The text layer. */
  text: string;
  /** A line for each field of a form and each annotation, which are no part of the text layer. */
  notes: string[];
  /** Letters and digits of the text layer. */
  letters: number;
  /** Share of the page's area that images cover, from 0 to 1. */
  imageShare: number;
  /** Number of painted paths. */
  paths: number;
  /** Number of painted glyph runs. */
  glyphs: number;
}

/** Letters below which the text layer may be a page number, or a scanner's stamp. */
const FEW_LETTERS = 8;
/**
 * Letters from which the text layer is the page's text, also beside a picture: a searchable scan
 * has as many.
 */
const MANY_LETTERS = 200;
/** Share of the page from which an image is a scan of it. */
const SCAN_SHARE = 0.5;
/** Paths from which letters are drawn as outlines: lines and backgrounds are fewer. */
const OUTLINE_PATHS = 50;

/** Whether a page's text is in its picture, where only OCR finds it. Pure. */
export function needsOcr({ letters, imageShare, paths, glyphs }: PageFacts): boolean {
  if (letters >= MANY_LETTERS) return false;
  if (imageShare >= SCAN_SHARE) return true;
  if (letters >= FEW_LETTERS) return false;
  // Glyphs are painted, and the file has no mapping from them to letters.
  const isUnmapped = letters === 0 && glyphs > 0;
  return imageShare > 0 || paths >= OUTLINE_PATHS || isUnmapped;
}
