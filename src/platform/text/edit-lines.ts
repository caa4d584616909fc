/** An edit of a text: `old` becomes `replacement`, everywhere where `all` is set. */
export interface TextEdit {
  old: string;
  replacement: string;
  all: boolean;
}

/** A text after an edit. */
export interface EditedText {
  text: string;
  /** Where `old` was; unless `all` is set, more than one place changes nothing. */
  starts: readonly number[];
}

/**
 * Makes an edit. Lines match whatever their ends are, and the text keeps its own: those of the replaced lines, else
 * those around, also for lines that are added.
 */
export function editText(text: string, { old, replacement, all }: TextEdit): EditedText {
  const { plain, offsets } = withoutReturns(text);
  const wanted = toLines(old);
  const places: number[] = [];
  // Places that overlap are ambiguous too, but cannot all be replaced.
  const step = all ? wanted.length : 1;
  for (let at = plain.indexOf(wanted); at >= 0; at = plain.indexOf(wanted, at + step)) {
    places.push(at);
  }
  const starts = places.map(offsets);
  if (places.length === 0 || (places.length > 1 && !all)) return { text, starts };
  let edited = '';
  let done = 0;
  for (const place of places) {
    const start = offsets(place);
    const end = offsets(place + wanted.length);
    const ends = endsFor(text, start, end);
    let line = 0;
    const added = toLines(replacement).replaceAll('\n', () => {
      const own = ends[Math.min(line, ends.length - 1)] ?? '\n';
      line += 1;
      return own;
    });
    edited += text.slice(done, start) + added;
    done = end;
  }
  return { text: edited + text.slice(done), starts };
}

/** A text with LF at the ends of its lines. */
export const toLines = (text: string): string => text.replaceAll('\r\n', '\n');

/** A text with each CRLF as LF, and the offset in `text` of an offset in it. */
function withoutReturns(text: string): { plain: string; offsets: (at: number) => number } {
  const dropped: number[] = [];
  const plain = text.replaceAll('\r\n', (_found, at: number) => {
    // The offset, in `plain`, of the LF that the return stood before.
    dropped.push(at - dropped.length);
    return '\n';
  });
  const offsets = (at: number): number => {
    let [low, high] = [0, dropped.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((dropped[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  };
  return { plain, offsets };
}

/** The ends of the lines that are replaced; where they have none, that of the line after or before. */
function endsFor(text: string, start: number, end: number): string[] {
  return text.slice(start, end).match(/\r?\n/g) ?? [lineEndAt(text, end)];
}

/** The end of the line at an offset; where it has none, that of the line before. */
export function lineEndAt(text: string, at: number): string {
  const isWithin = text[at] === '\n' && text[at - 1] === '\r';
  const after = /\r?\n/.exec(text.slice(isWithin ? at - 1 : at));
  if (after !== null) return after[0];
  const before = text.lastIndexOf('\n', at);
  return before > 0 && text[before - 1] === '\r' ? '\r\n' : '\n';
}
