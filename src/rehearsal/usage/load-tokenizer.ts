/** Counts the tokens of a text as models before 4.7 do. */
export type CountText = (text: string) => number;

/** Longest run of characters that the tokenizer is given: its time is the square of the length. */
const longRun = 128;
const longWord = new RegExp(`\\S{${longRun}}(?=\\S)`, 'gu');
const longGap = new RegExp(`\\s{${longRun}}(?=\\s)`, 'gu');

/** Most characters of texts with a cached count: every step counts the prompt again. */
const mostKept = 32_000_000;

let loading: Promise<CountText> | undefined;

/**
 * Loads the tokenizer of `@anthropic-ai/tokenizer` at its first use: it is six megabytes of
 * WebAssembly, and a server with a key never needs it.
 */
export function loadTokenizer(): Promise<CountText> {
  loading ??= import('@anthropic-ai/tokenizer').then(({ getTokenizer }) => {
    const tokenizer = getTokenizer();
    return cacheCounts((text) => tokenizer.encode(breakRuns(text.normalize('NFKC')), 'all').length);
  });
  return loading;
}

/** Breaks long words and long runs of blanks, which hardly changes the count. */
function breakRuns(text: string): string {
  return text.replace(longWord, '$& ').replace(longGap, '$&.');
}

/** A counter that caches the counts of the latest texts. */
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
