import type { Source } from '#src/events/turn-event.js';

/** A citation at a place of a text. */
export interface CiteMark {
  /** Characters of the text before it. */
  at: number;
  /** The number of its source in the step, from 1. */
  number: number;
}

/** Each source once, in the order of its first citation. Pure. */
export function distinctSources(sources: readonly Source[]): Source[] {
  return [...new Map(sources.map((source) => [keyOfSource(source), source])).values()];
}

export function keyOfSource({ title, url, citedText, location }: Source): string {
  return JSON.stringify([title, url, citedText, location]);
}

/** The address of a mark's link. Markdown does not change it. */
const ADDRESS = '#source-';

/** A Markdown text with a link for each of its marks, none of them in code. Pure. */
export function withMarks(text: string, marks: readonly CiteMark[]): string {
  let marked = '';
  let done = 0;
  for (const { at, number } of marks) {
    // The mark is placed after the cited words, before the line feed.
    const end = text.slice(0, at).trimEnd().length;
    if (end < done || isInCode(text.slice(0, end))) continue;
    marked += `${text.slice(done, end)}[${number}](${ADDRESS}${number})`;
    done = end;
  }
  return marked + text.slice(done);
}

/** The number of a mark, from its link; undefined for other links. Pure. */
export function markOf(address: string | undefined): number | undefined {
  if (address?.startsWith(ADDRESS) !== true) return undefined;
  const number = Number(address.slice(ADDRESS.length));
  return Number.isInteger(number) ? number : undefined;
}

function isInCode(before: string): boolean {
  const fences = before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return fences % 2 === 1 || (line.match(/`/g)?.length ?? 0) % 2 === 1;
}
