import type { TurnFilters } from '#src/client/server-types.js';

/** The filters of the page, by their names in its URL; absent: any. */
export interface ShownFilters {
  /** `all`: turns of everybody. */
  of?: string;
  /** The id of a turn or a session. */
  id?: string;
  status?: string;
  /** How far back the list goes, by its name in `ranges`. */
  range?: string;
  agent?: string;
  model?: string;
  tool?: string;
  error?: string;
  wire?: string;
  principal?: string;
  /** Seconds, at least. */
  took?: string;
  /** US dollars, at least. */
  cost?: string;
}

export const filterNames: readonly (keyof ShownFilters)[] = [
  'of',
  'id',
  'status',
  'range',
  'agent',
  'model',
  'tool',
  'error',
  'wire',
  'principal',
  'took',
  'cost',
];

/** Hours by the names of ranges. */
export const ranges: Readonly<Record<string, number>> = {
  '1h': 1,
  '24h': 24,
  '7d': 168,
  '30d': 720,
};

/** The filters in a URL's query; others are left out. Pure. */
export function parseFilters(search: string): ShownFilters {
  const given = new URLSearchParams(search);
  const filters: ShownFilters = {};
  for (const name of filterNames) {
    const value = given.get(name)?.trim();
    if (value !== undefined && value !== '') filters[name] = value;
  }
  return filters;
}

/** The query of a URL that has the filters. Pure. */
export function formatFilters(filters: ShownFilters): string {
  const query = new URLSearchParams();
  for (const name of filterNames) {
    const value = filters[name]?.trim();
    if (value !== undefined && value !== '') query.set(name, value);
  }
  return query.toString();
}

/**
 * What the server is asked for. Pure.
 *
 * @param now milliseconds since 1970.
 */
export function toQuery(
  { of: _of, id, range, took, cost, ...same }: ShownFilters,
  now: number,
): TurnFilters {
  const hours = range === undefined ? undefined : ranges[range];
  const seconds = took === undefined ? Number.NaN : Number(took);
  return {
    ...same,
    ...(id === undefined ? {} : id.startsWith('sess_') ? { session: id } : { id }),
    ...(hours === undefined ? {} : { since: new Date(now - hours * 3_600_000).toISOString() }),
    // What is no number is left to the server, whose words say what is wrong.
    ...(took === undefined
      ? {}
      : { minDurationMs: Number.isNaN(seconds) ? took : seconds * 1_000 }),
    ...(cost === undefined ? {} : { minCostUsd: cost }),
  };
}
