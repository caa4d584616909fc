import type { ListedSession } from '#src/client/turnpike-client.js';
import { ValueStore } from '../hooks/value-store.js';

const STORED = 'turnpike.pins';

/** A session that its user wants to find at the top, as this browser has it: it may be on no page of the list yet. */
export type Pin = Pick<ListedSession, 'sessionId' | 'projectRoot' | 'updatedAt'> & {
  title?: string;
};

/** The pinned sessions of this browser, the last pinned first. */
export const pins = new ValueStore<readonly Pin[]>(loadPins());

export function togglePin({ sessionId, projectRoot, updatedAt, title }: Pin): void {
  const others = pins.get().filter((pin) => pin.sessionId !== sessionId);
  const isPinned = others.length < pins.get().length;
  const pin = { sessionId, projectRoot, updatedAt, ...(title === undefined ? {} : { title }) };
  pins.set(isPinned ? others : [pin, ...others]);
  localStorage.setItem(STORED, JSON.stringify(pins.get()));
}

function loadPins(): Pin[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPin) : [];
  } catch {
    // Something else wrote it: the pins are lost, the list is not.
    return [];
  }
}

function isPin(value: unknown): value is Pin {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['sessionId', 'projectRoot', 'updatedAt'].every(
      (name) => typeof Reflect.get(value, name) === 'string',
    )
  );
}
