import { useNow } from '../app/use-now.js';
import { formatCountdown } from '../ui/format.js';

/** How long is left to decide, and what happens then. */
export function Countdown({
  expiresAt,
  onTimeout,
}: {
  expiresAt: string;
  onTimeout: 'approve' | 'deny';
}) {
  const leftMs = Date.parse(expiresAt) - useNow(1_000);
  const words = onTimeout === 'approve' ? 'approved' : 'denied';
  const look = leftMs < 60_000 ? 'text-bad' : 'text-muted';
  return (
    <span role="timer" aria-live="off" className={`text-xs tabular-nums ${look}`}>
      {leftMs > 0
        ? `${formatCountdown(leftMs)} left to answer, then ${words}`
        : `Time is up: being ${words}`}
    </span>
  );
}
