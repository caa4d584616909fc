import { useValue, ValueStore } from '../hooks/value-store.js';

const announcement = new ValueStore('');

/** Announces a text to screen readers. Not for every word of a stream. */
export function announce(text: string): void {
  announcement.set(text);
}

export function LiveRegion() {
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {useValue(announcement)}
    </div>
  );
}
