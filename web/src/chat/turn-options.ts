import { isPlainObject } from '../../../src/platform/json.js';
import { ValueStore } from '../app/value-store.js';

export type OnBusy = 'enqueue' | 'steer' | 'interrupt';

export interface TurnOptions {
  thinking: boolean;
  citations: boolean;
  /** Absent: the server's default. */
  model?: string;
  /** What becomes of a message that is sent while a turn runs. */
  onBusy: OnBusy;
}

const STORED = 'turnpike.turn-options';

/** What the user last chose for turns. */
export const turnOptions = new ValueStore<TurnOptions>(readStored());

turnOptions.subscribe(() => localStorage.setItem(STORED, JSON.stringify(turnOptions.get())));

function readStored(): TurnOptions {
  const stored = parse(localStorage.getItem(STORED) ?? '{}');
  const onBusy = (['enqueue', 'steer', 'interrupt'] as const).find(
    (one) => one === stored['onBusy'],
  );
  const model = stored['model'];
  return {
    thinking: stored['thinking'] === true,
    citations: stored['citations'] === true,
    ...(typeof model === 'string' ? { model } : {}),
    onBusy: onBusy ?? 'enqueue',
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    // Somebody else wrote it: the defaults do.
    return {};
  }
}
