import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TurnEvent } from '../../src/events/turn-event.js';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Recorded turns: name → events. */
export function recordedTurns(): [string, TurnEvent[]][] {
  return readdirSync(at('./events'))
    .sort()
    .map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(at(`./events/${file}`), 'utf8')) as TurnEvent[],
    ]);
}

/** The kept text of a golden file; `UPDATE_GOLDEN=1` keeps what is given instead. */
export function golden(name: string, given: string): string {
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(at(name), given);
  return readFileSync(at(name), 'utf8');
}
