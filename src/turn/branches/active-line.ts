/** The facts of a turn that say which line of its conversation it is in. */
export interface LineTurn {
  id: string;
  supersededBy: string | null;
}

/**
 * The turns that a turn followed when it ran, oldest first: those before it, without what had been
 * superseded by then. A turn that is superseded itself keeps its own line. Pure.
 *
 * @param turns all turns of the session, oldest first.
 * @returns undefined where the turn is not among them.
 */
export function lineBefore<T extends LineTurn>(
  turns: readonly T[],
  turnId: string,
): T[] | undefined {
  const places = new Map(turns.map(({ id }, place) => [id, place]));
  const at = places.get(turnId);
  if (at === undefined) return undefined;
  const isIn = ({ supersededBy }: T): boolean =>
    supersededBy === null || (places.get(supersededBy) ?? turns.length) > at;
  return turns.slice(0, at).filter(isIn);
}

/**
 * The turns that a line knows nothing of: all others of the session, without those that a turn of the
 * line superseded, which was told of them. Pure.
 */
export function unknownTo<T extends LineTurn>(turns: readonly T[], line: readonly T[]): T[] {
  const inLine = new Set(line.map(({ id }) => id));
  return turns.filter(
    ({ id, supersededBy }) =>
      !inLine.has(id) && (supersededBy === null || !inLine.has(supersededBy)),
  );
}
