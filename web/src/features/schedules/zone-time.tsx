import { formatInZone, knownZone, ownTimeBeside, viewerZone } from './zone-times.js';

/** A time on the schedule's clock, with the viewer's beside it where that shows another. */
export function ZoneTime({ at, tz }: { at: string; tz: string }) {
  const zone = knownZone(tz);
  const own = ownTimeBeside(at, zone, viewerZone());
  return (
    <time dateTime={at} className="tabular-nums" title={`${zone}; here ${viewerZone()}`}>
      {formatInZone(at, zone)}
      {own !== undefined && <span className="text-muted"> ({own} here)</span>}
    </time>
  );
}
