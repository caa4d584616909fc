/** A turn and what took its place. */
interface LineTurn {
  turnId: string;
  supersededBy?: string;
}

/** A turn at its point of the conversation. */
export interface PlacedTurn<T extends LineTurn> {
  turn: T;
  /** The turns that had this place, oldest first, the last one in force; this turn is one of them. */
  versions: readonly T[];
}

/** The version that is shown at a point, by the point's first version. A point without one shows the last. */
export type ChosenVersions = ReadonlyMap<string, string>;

/**
 * The turns that are shown: those of the conversation, or at a point where another version was chosen,
 * that version and what followed it. Pure.
 *
 * @param turns all turns of the session, superseded ones too, oldest first.
 */
export function placeTurns<T extends LineTurn>(
  turns: readonly T[],
  chosen: ChosenVersions,
): PlacedTurn<T>[] {
  const superseded = groupBySuccessor(turns);
  const placed: PlacedTurn<T>[] = [];
  let rest = superseded.get(undefined) ?? [];
  let [turn] = rest;
  while (turn !== undefined) {
    const versions = versionsOf(turn, superseded);
    const wanted = chosen.get(versions[0]?.turnId ?? turn.turnId);
    const at = versions.findIndex(({ turnId }) => turnId === wanted);
    const successor = at === -1 ? undefined : versions[at + 1];
    const line = successor === undefined ? rest : (superseded.get(successor.turnId) ?? []);
    placed.push({ turn: line[0] ?? turn, versions });
    rest = line.slice(1);
    [turn] = rest;
  }
  return placed;
}

/** A turn and what followed it until it was superseded, oldest first. Pure. */
export function lineFrom<T extends LineTurn>(turns: readonly T[], first: T): T[] {
  const line = turns.filter(({ supersededBy }) => supersededBy === first.supersededBy);
  return line.slice(line.findIndex(({ turnId }) => turnId === first.turnId));
}

/** Turns by what superseded them, each group oldest first: its first turn is the one that was replaced. */
function groupBySuccessor<T extends LineTurn>(turns: readonly T[]): Map<string | undefined, T[]> {
  const groups = new Map<string | undefined, T[]>();
  for (const turn of turns) {
    const group = groups.get(turn.supersededBy);
    if (group === undefined) groups.set(turn.supersededBy, [turn]);
    else group.push(turn);
  }
  return groups;
}

function versionsOf<T extends LineTurn>(
  turn: T,
  superseded: ReadonlyMap<string | undefined, readonly T[]>,
): T[] {
  const versions = [turn];
  let [replaced] = superseded.get(turn.turnId) ?? [];
  while (replaced !== undefined) {
    versions.unshift(replaced);
    [replaced] = superseded.get(replaced.turnId) ?? [];
  }
  return versions;
}
