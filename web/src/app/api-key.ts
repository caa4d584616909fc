import { ValueStore } from './value-store.js';

const STORED = 'turnpike.key';

/** The API key of all requests; undefined where the server needs none. */
export const apiKey = new ValueStore<string | undefined>(loadKey());

/** The reason why the page asks for a key; undefined while it does not. */
export const keyRequest = new ValueStore<string | undefined>(undefined);

/** @param keep whether the key outlives the tab. */
export function storeKey(key: string, keep: boolean): void {
  forgetKey();
  (keep ? localStorage : sessionStorage).setItem(STORED, key);
  apiKey.set(key);
  keyRequest.set(undefined);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
  localStorage.removeItem(STORED);
  apiKey.set(undefined);
}

function loadKey(): string | undefined {
  return sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED) ?? undefined;
}
