import { scanCommand } from './scan-command.js';

/** The beginning of a here-document; in arithmetic `<<` is a shift. */
const begin = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.+-]+))/g;

/**
 * Separates a script from the lines of its here-documents. Detection is a guess: lines after a
 * false beginning count as a document, so the caller scans both.
 */
export function cutDocuments(script: string): { rest: string; documents: string[] } {
  if (!hasDocument(script)) return { rest: script, documents: [] };
  const rest: string[] = [];
  const documents: string[] = [];
  const ends: { word: string; isIndented: boolean }[] = [];
  for (const line of script.split('\n')) {
    const [next] = ends;
    if (next === undefined) {
      rest.push(line);
      ends.push(...endsIn(line));
    } else if ((next.isIndented ? line.replace(/^\t+/, '') : line) === next.word) {
      ends.shift();
    } else {
      documents.push(line);
    }
  }
  return { rest: rest.join('\n'), documents };
}

function endsIn(line: string): { word: string; isIndented: boolean }[] {
  if (line.includes('((') || !hasDocument(line)) return [];
  return [...line.replaceAll('<<<', ' ').matchAll(begin)].map(([, dash, ...words]) => ({
    word: words.find((word) => word !== undefined) ?? '',
    isIndented: dash === '-',
  }));
}

function hasDocument(script: string): boolean {
  return script.includes('<<') && scanCommand(script).some((command) => command.hasDocument);
}
