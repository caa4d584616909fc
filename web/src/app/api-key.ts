import { ValueStore } from './value-store.js';

const STORED = 'turnpike.key';

/** The API key that requests are sent with; undefined: none, as where the server asks for none. */
export const apiKey = new ValueStore<string | undefined>(readKey());

/** Why a key is asked for; undefined: nobody asks. */
export const keyWanted = new ValueStore<string | undefined>(undefined);

/** @param keep also when the browser is closed; else until the tab is. */
export function takeKey(key: string, keep: boolean): void {
  forgetKey();
  (keep ? localStorage : sessionStorage).setItem(STORED, key);
  apiKey.set(key);
  keyWanted.set(undefined);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
  localStorage.removeItem(STORED);
  apiKey.set(undefined);
}

function readKey(): string | undefined {
  return sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED) ?? undefined;
}
