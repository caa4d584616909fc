/** Tokens of a text, as models before 4.7 count them. */
export type CountText = (text: string) => number;

/** Longer runs take the tokenizer time by the square of their length. */
const longRun = 128;
const longWord = new RegExp(`\\S{${longRun}}(?=\\S)`, 'gu');
const longGap = new RegExp(`\\s{${longRun}}(?=\\s)`, 'gu');

/** Characters of the texts whose count is kept: a prompt is counted anew in each step. */
const mostKept = 32_000_000;

let loading: Promise<CountText> | undefined;

/**
 * The tokenizer of `@anthropic-ai/tokenizer`, which is loaded when the first text is to be
 * counted: it is six megabytes of WebAssembly, and a server with a key never needs it.
 */
export function loadTokenizer(): Promise<CountText> {
  loading ??= import('@anthropic-ai/tokenizer').then(({ getTokenizer }) => {
    const tokenizer = getTokenizer();
    return cacheCounts((text) => tokenizer.encode(breakRuns(text.normalize('NFKC')), 'all').length);
  });
  return loading;
}

/** A run without a space, or of spaces, is broken where the count hardly changes by it. */
function breakRuns(text: string): string {
  return text.replace(longWord, '$& ').replace(longGap, '$&.');
}

/** The same counts, each text counted once while it is among the last that were. */
export function cacheCounts(count: CountText): CountText {
  const counts = new Map<string, number>();
  let kept = 0;
  return (text) => {
    const known = counts.get(text);
    if (known !== undefined) return known;
    const tokens = count(text);
    if (kept + text.length > mostKept) {
      counts.clear();
      kept = 0;
    }
    counts.set(text, tokens);
    kept += text.length;
    return tokens;
  };
}
