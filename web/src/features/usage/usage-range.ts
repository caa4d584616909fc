/** What usage can be told apart by. */
export type UsageField = 'model' | 'agent' | 'key' | 'principal';

/** Days of the ranges, by their names in the URL. */
export const rangeDays: Readonly<Record<string, number>> = {
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '365d': 365,
};

const DAY_MS = 86_400_000;

/** The days of a range in UTC, the oldest first; the last one is today. Pure. @param now milliseconds since 1970. */
export function daysOf(range: string, now: number): string[] {
  const count = rangeDays[range] ?? 30;
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** What usage can be told apart by: one's own, and everybody's. */
export const fieldsOf: Readonly<Record<'own' | 'all', readonly UsageField[]>> = {
  own: ['model', 'agent', 'key'],
  all: ['model', 'principal', 'key', 'agent'],
};

/** What the page shows, which is in its URL. */
export interface ShownUsage {
  of: 'own' | 'all';
  range: string;
  by: UsageField;
  /** Undefined: nobody chose. */
  show: 'usd' | 'tokens' | undefined;
}

const DEFAULT_RANGE = '30d';

/** The view in a URL's query; what is unknown has its default. Pure. */
export function parseView(search: string): ShownUsage {
  const given = new URLSearchParams(search);
  const of = given.get('of') === 'all' ? 'all' : 'own';
  const range = given.get('range') ?? DEFAULT_RANGE;
  return {
    of,
    range: Object.hasOwn(rangeDays, range) ? range : DEFAULT_RANGE,
    by: fieldsOf[of].find((field) => field === given.get('by')) ?? 'model',
    show: (['usd', 'tokens'] as const).find((what) => what === given.get('show')),
  };
}

/** The query of a URL that has the view, without what is the default. Pure. */
export function formatView({ of, range, by, show }: ShownUsage): string {
  const query = new URLSearchParams();
  if (of === 'all') query.set('of', of);
  if (range !== DEFAULT_RANGE) query.set('range', range);
  if (by !== 'model') query.set('by', by);
  if (show !== undefined) query.set('show', show);
  return query.toString();
}
