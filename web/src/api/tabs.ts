/** Messages between the tabs of a browser, which keep them in step without requests. */
export type TabMessage =
  | { type: 'turn'; sessionId: string; turnId: string }
  | { type: 'sessions' }
  | { type: 'approvals' }
  | { type: 'settings' };

const channel = new BroadcastChannel('turnpike');
const listeners = new Set<(message: TabMessage) => void>();

channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
  for (const listener of listeners) listener(data);
});

/** Sends to the other tabs, not to this one. */
export function publishToTabs(message: TabMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows, not channels.
  channel.postMessage(message);
}

export function subscribeToTabs(listener: (message: TabMessage) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
