import { Spinner } from '../components/spinner.js';
import { isLost } from '../api/connection.js';
import { useValue } from '../hooks/value-store.js';

/** Says that the server cannot be reached, for as long as that lasts. */
export function ConnectionBar() {
  const lost = useValue(isLost);
  return (
    <div role="status" className="shrink-0">
      {lost && (
        <p className="flex items-center justify-center gap-2 border-b border-amber-line bg-amber-wash px-4 py-1.5 text-sm text-amber">
          <Spinner size={13} /> Connection lost, reconnecting…
        </p>
      )}
    </div>
  );
}
