export interface FoundPage {
  name: string;
  title: string;
  /** The first line that has a word of the search, without its marks. */
  line: string;
}

/** Most pages that are shown. */
const MOST = 12;

/**
 * The pages that have all words, those with a word in the title first. Pure.
 *
 * @param pages Markdown by the names of the pages.
 */
export function findPages(pages: ReadonlyMap<string, string>, search: string): FoundPage[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: (FoundPage & { rank: number })[] = [];
  for (const [name, text] of pages) {
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    const title = /^# (.*)/.exec(text)?.[1] ?? name;
    const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
    const lines = text.split('\n').slice(1);
    const line = lines.find((one) => words.some((word) => one.toLowerCase().includes(word))) ?? '';
    const times = words.reduce((sum, word) => sum + lower.split(word).length - 1, 0);
    found.push({ name, title, line: withoutMarks(line), rank: inTitle * 1_000 + times });
  }
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ name, title, line }) => ({ name, title, line }));
}

function withoutMarks(line: string): string {
  return line
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`|#>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
