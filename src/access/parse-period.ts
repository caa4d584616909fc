const unitsMs: Record<string, number | undefined> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 3_650 * 86_400_000;

/** A time as `90m`, `12h` or `30d`, in ms; undefined for any other text, for none and for more than 3650 days. */
export function parsePeriod(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (unitsMs[unit] ?? Number.NaN);
  return ms > 0 && ms <= longestMs ? ms : undefined;
}
