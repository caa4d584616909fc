import type { Cli } from '../command.js';

/** A list for people: its columns, and a row of texts for each entry. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Prints a table, or lines as they are. */
export function printTable(cli: Pick<Cli, 'out'>, shown: Table | readonly string[]): void {
  const { isTTY, columns } = process.stdout;
  // A terminal that does not know its width says 0.
  const width = isTTY ? columns || 80 : undefined;
  const lines = 'rows' in shown ? linesOfTable(shown, width) : shown;
  for (const line of lines) cli.out(`${line}\n`);
}

/**
 * The lines of a table, its columns aligned; a column without a text is left out. At a terminal with a head, and cut to
 * its width.
 *
 * @param width characters of a line; undefined: a program reads the lines.
 */
export function linesOfTable({ columns, rows }: Table, width: number | undefined): string[] {
  const filled = columns.flatMap((head, index) => {
    const texts = rows.map((row) => row[index] ?? '');
    if (texts.every((text) => text === '')) return [];
    const cells = width === undefined ? texts : [head, ...texts];
    const longest = Math.max(...cells.map((text) => text.length));
    return [cells.map((text) => text.padEnd(longest))];
  });
  const [first = []] = filled;
  return first.map((_, row) => {
    const line = filled.map((cells) => cells[row] ?? '').join('  ');
    return (width === undefined ? line : line.slice(0, width)).trimEnd();
  });
}
