import type { Cli } from '../command.js';

/** A list for people: its columns, and a row of texts for each entry. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** How a list is printed. */
export interface ListShape<One> {
  /** For people: a table, or lines. */
  show(all: readonly One[]): Table | readonly string[];
  /** Lines for people on standard error, beside what `show` has. */
  tell?(all: readonly One[]): readonly string[];
  /** Printed to standard error where the list is empty. */
  none?: string;
}

/** Prints a list: as `show` has it, or with `json` a line of JSON for each entry. */
export function printList<One>(
  cli: Pick<Cli, 'out' | 'err'>,
  { all, json = false }: { all: readonly One[]; json?: boolean | undefined },
  { show, tell = () => [], none = 'There are none.' }: ListShape<One>,
): void {
  if (json) for (const one of all) cli.out(`${JSON.stringify(one)}\n`);
  else if (all.length === 0) cli.err(`${none}\n`);
  else {
    printTable(cli, show(all));
    for (const line of tell(all)) cli.err(`${line}\n`);
  }
}

/** Prints a table, or lines as they are. */
function printTable(cli: Pick<Cli, 'out'>, shown: Table | readonly string[]): void {
  const { isTTY, columns } = process.stdout;
  // A terminal that does not know its width says 0.
  const width = isTTY ? columns || 80 : undefined;
  const lines = 'rows' in shown ? linesOfTable(shown, width) : shown;
  for (const line of lines) cli.out(`${line}\n`);
}

/**
 * The lines of a table: a head, then its columns aligned; a column without a text is left out. Programs read `--json`:
 * a file or a pipe has the head as well, as the lists of kubectl and docker do.
 *
 * @param width characters of a line; undefined: lines are not cut.
 */
export function linesOfTable({ columns, rows }: Table, width: number | undefined): string[] {
  const filled = columns.flatMap((head, index) => {
    const texts = rows.map((row) => row[index] ?? '');
    if (texts.every((text) => text === '')) return [];
    const cells = [head, ...texts];
    const longest = Math.max(...cells.map((text) => text.length));
    return [cells.map((text) => text.padEnd(longest))];
  });
  const [first = []] = filled;
  return first.map((_, row) => {
    const line = filled.map((cells) => cells[row] ?? '').join('  ');
    return (width === undefined ? line : line.slice(0, width)).trimEnd();
  });
}
