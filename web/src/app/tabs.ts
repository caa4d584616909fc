/** What the tabs of one browser tell each other, so that they stay in step without asking the server. */
export type TabNews =
  | { type: 'turn'; sessionId: string; turnId: string }
  | { type: 'sessions' }
  | { type: 'approvals' }
  | { type: 'settings' };

const channel = new BroadcastChannel('turnpike');
const listeners = new Set<(news: TabNews) => void>();

channel.addEventListener('message', ({ data }: MessageEvent<TabNews>) => {
  for (const listener of listeners) listener(data);
});

/** Tells the other tabs, not this one. */
export function tellTabs(news: TabNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows, not of channels.
  channel.postMessage(news);
}

export function onTabNews(listener: (news: TabNews) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
