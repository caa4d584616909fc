import { describe, expect, it } from '@jest/globals';
import { formatInZone, knownZone, viewersTime } from './zone-times.js';

describe('a time of a schedule', () => {
  const at = '2026-11-30T23:30:00.000Z';

  it('is what the clock of the zone shows', () => {
    expect(formatInZone(at, 'UTC')).toBe('Mon 2026-11-30 23:30');
    expect(formatInZone(at, 'Europe/Berlin')).toBe('Tue 2026-12-01 00:30');
    expect(formatInZone('2026-11-30T00:05:00.000Z', 'UTC')).toBe('Mon 2026-11-30 00:05');
  });

  it.each([
    ['Europe/Berlin', 'Europe/Paris', undefined],
    ['UTC', 'Europe/London', undefined],
    ['America/New_York', 'America/Chicago', '17:30'],
    ['UTC', 'Europe/Berlin', 'Tue 2026-12-01 00:30'],
  ])('in %s has that of a viewer in %s beside it: %s', (tz, own, shown) => {
    expect(viewersTime(at, tz, own)).toBe(shown);
  });

  it('is shown in UTC where the browser does not know the zone', () => {
    expect(knownZone('Asia/Tokyo')).toBe('Asia/Tokyo');
    expect(knownZone('Mars/Olympus')).toBe('UTC');
  });
});
