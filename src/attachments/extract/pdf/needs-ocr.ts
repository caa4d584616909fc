/** Facts about a page that need no OCR. */
export interface PageFacts {
  /** Its text layer. */
  text: string;
  /** Letters and digits of the text layer. */
  letters: number;
  /** Of the page's area, from 0 to 1, what images cover. */
  imageShare: number;
  /** Paths that are painted. */
  paths: number;
  /** Runs of glyphs that are painted. */
  glyphs: number;
}

/** Fewer letters may be a page number, or what a scanner stamps on its pages. */
const FEW_LETTERS = 8;
/** More letters are the page's text, also beside a picture: a scan with a text layer has as many. */
const MANY_LETTERS = 200;
/** Of a page that images cover: more of it is a scan. */
const SCAN_SHARE = 0.5;
/** Letters that are drawn as outlines are hundreds of paths; lines and backgrounds are few. */
const OUTLINE_PATHS = 50;

/** Whether a page's text is in its picture: then OCR has to read it. Pure. */
export function needsOcr({ letters, imageShare, paths, glyphs }: PageFacts): boolean {
  if (letters >= MANY_LETTERS) return false;
  if (imageShare >= SCAN_SHARE) return true;
  if (letters >= FEW_LETTERS) return false;
  // Glyphs of which nobody knows the letters.
  const isUnmapped = letters === 0 && glyphs > 0;
  return imageShare > 0 || paths >= OUTLINE_PATHS || isUnmapped;
}
