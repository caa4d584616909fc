import { ValueStore } from '../hooks/value-store.js';

const STORED = 'turnpike.key';

/** The API key of all requests; undefined where the server needs none. */
export const apiKey = new ValueStore<string | undefined>(loadKey());

/** Why the page asks for a key: the server needs one, it refused this one, or the user wants to change it. */
export type KeyRequest = 'missing' | 'refused' | 'requested';

/** Undefined while the page asks for no key. */
export const keyRequest = new ValueStore<KeyRequest | undefined>(undefined);

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
