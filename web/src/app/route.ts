/** The pages of the console, by their addresses. */
export type Route =
  | { page: 'home' }
  | { page: 'session'; sessionId: string }
  | { page: 'turn'; turnId: string }
  | { page: 'approvals' }
  | { page: 'agents' }
  | { page: 'queue' }
  | { page: 'webhooks' }
  | { page: 'settings' }
  | { page: 'unknown'; path: string };

/** Parses a path. Pure. */
export function parseRoute(path: string): Route {
  const [first = '', id, ...rest] = path.split('/').filter((part) => part !== '');
  if (rest.length > 0) return { page: 'unknown', path };
  if (id !== undefined) {
    if (first === 'sessions') return { page: 'session', sessionId: id };
    if (first === 'turns') return { page: 'turn', turnId: id };
    return { page: 'unknown', path };
  }
  if (first === '') return { page: 'home' };
  const plain = ['approvals', 'agents', 'queue', 'webhooks', 'settings'] as const;
  const page = plain.find((one) => one === first);
  return page === undefined ? { page: 'unknown', path } : { page };
}
