/**
 * The known name nearest to a given name, apart from case, `_` and `-`; undefined when more than a third of
 * its letters differ from every known name.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wanted = plain(given);
  let nearest: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const candidate = plain(name);
    const most = Math.floor(candidate.length / 3);
    // A larger difference of lengths rules the name out, before a long input costs anything.
    if (Math.abs(candidate.length - wanted.length) > most) continue;
    const distance = editDistance(wanted, candidate);
    if (distance <= most && distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** The distance of two names in letters that are added, left out, replaced, or exchanged with their neighbour. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1);
      const isExchanged = from[index] === to[column - 1] && from[index - 1] === to[column];
      const exchanged = isExchanged ? (before[column - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[row.length - 1] ?? 0;
}

/** The fault of a name that nothing has, with the nearest name or all that there are. */
export function unknownName(what: string, given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  const hint =
    near === undefined ? `there is ${known.join(', ') || 'none'}` : `did you mean ${near}?`;
  return `names the ${what} ${JSON.stringify(given)}, which does not exist; ${hint}`;
}
