import { useValue } from './use-value.js';
import { ValueStore } from './value-store.js';

const said = new ValueStore('');

/** Tells people who listen to the page rather than look at it. Not for every word of a stream. */
export function announce(text: string): void {
  said.set(text);
}

export function LiveRegion() {
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {useValue(said)}
    </div>
  );
}
