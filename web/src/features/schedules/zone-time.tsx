import { formatInZone, knownZone, viewersTime, viewerZone } from './zone-times.js';

/** A time in the schedule's zone, and in the viewer's zone if that differs. */
export function ZoneTime({ at, tz }: { at: string; tz: string }) {
  const zone = knownZone(tz);
  const own = viewersTime(at, zone, viewerZone());
  return (
    <time dateTime={at} className="tabular-nums" title={`${zone}; here ${viewerZone()}`}>
      {formatInZone(at, zone)}
      {own !== undefined && <span className="text-muted"> ({own} here)</span>}
    </time>
  );
}
