/** A migration of this program, or of a database: the time in the journal identifies it. */
export interface Migration {
  tag: string;
  /** Milliseconds, which grow from one migration to the next. */
  when: number;
}

/** A migration that took something away. */
export interface Contract {
  migration: string;
  /** The first version that works without what was taken away: `major.minor.patch`. */
  leastVersion: string;
}

/** The schema of a database, as the database says. */
export interface StoredSchema {
  /** Times of the migrations that were applied. */
  applied: readonly number[];
  contracts: readonly Contract[];
}

export interface SchemaDifference {
  /** Tags of migrations that the database lacks, in their order. */
  missing: readonly string[];
  /** The number of migrations that this program does not know. */
  unknown: number;
  /** Contracts that this program is too old for. */
  broken: readonly Contract[];
}

/** @param version of this program. */
export function compareSchema(
  known: readonly Migration[],
  { applied, contracts }: StoredSchema,
  version: string,
): SchemaDifference {
  const whens = new Set(known.map(({ when }) => when));
  return {
    missing: known.filter(({ when }) => !applied.includes(when)).map(({ tag }) => tag),
    unknown: applied.filter((when) => !whens.has(when)).length,
    broken: contracts.filter(({ leastVersion }) => isOlder(version, leastVersion)),
  };
}

/** Only the three numbers count: `1.2.0-rc.1` is `1.2.0`. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const [release = ''] = version.split(/[-+]/);
  const [major = '', minor = '', patch = ''] = release.split('.');
  return [Number(major), Number(minor), Number(patch)];
}
