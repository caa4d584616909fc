/** A turn, and the turn that supersedes it. */
interface BranchTurn {
  turnId: string;
  supersededBy?: string;
}

/** A turn of the branch, with the other versions of the same message. */
export interface VersionedTurn<T extends BranchTurn> {
  turn: T;
  /** All versions, oldest first, this turn among them. The last one is in the conversation. */
  versions: readonly T[];
}

/** The id of the version to show, by the id of the first version. Without an entry, the last one is shown. */
export type ChosenVersions = ReadonlyMap<string, string>;

/**
 * The turns to show: those of the conversation. Where another version was chosen, that version and the turns that
 * followed it take over. Pure.
 *
 * @param turns all turns of the session, superseded ones too, oldest first.
 */
export function visibleBranch<T extends BranchTurn>(
  turns: readonly T[],
  chosen: ChosenVersions,
): VersionedTurn<T>[] {
  const superseded = groupBySuccessor(turns);
  const branch: VersionedTurn<T>[] = [];
  let rest = superseded.get(undefined) ?? [];
  let [turn] = rest;
  while (turn !== undefined) {
    const versions = versionsOf(turn, superseded);
    const chosenId = chosen.get(versions[0]?.turnId ?? turn.turnId);
    const at = versions.findIndex(({ turnId }) => turnId === chosenId);
    const successor = at === -1 ? undefined : versions[at + 1];
    const line = successor === undefined ? rest : (superseded.get(successor.turnId) ?? []);
    branch.push({ turn: line[0] ?? turn, versions });
    rest = line.slice(1);
    [turn] = rest;
  }
  return branch;
}

/** A turn and what followed it until it was superseded, oldest first. Pure. */
export function branchFrom<T extends BranchTurn>(turns: readonly T[], first: T): T[] {
  const line = turns.filter(({ supersededBy }) => supersededBy === first.supersededBy);
  return line.slice(line.findIndex(({ turnId }) => turnId === first.turnId));
}

/** Turns by the turn that supersedes them, oldest first: the first of a group was replaced, the others followed it. */
function groupBySuccessor<T extends BranchTurn>(turns: readonly T[]): Map<string | undefined, T[]> {
  const groups = new Map<string | undefined, T[]>();
  for (const turn of turns) {
    const group = groups.get(turn.supersededBy);
    if (group === undefined) groups.set(turn.supersededBy, [turn]);
    else group.push(turn);
  }
  return groups;
}

function versionsOf<T extends BranchTurn>(
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
