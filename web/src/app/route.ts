/** The pages of the console, by their addresses. */
export type Route =
  | { page: 'home' }
  | { page: 'session'; sessionId: string }
  | { page: 'turn'; turnId: string }
  | { page: 'compare'; turnId: string; otherId: string }
  | { page: 'approvals' }
  | { page: 'agents' }
  | { page: 'queue' }
  | { page: 'memory' }
  | { page: 'schedules' }
  | { page: 'webhooks' }
  | { page: 'settings' }
  | { page: 'keys' }
  | { page: 'usage' }
  | { page: 'help'; topic: string }
  | { page: 'unknown'; path: string };

/** Parses a path. Pure. */
export function parseRoute(path: string): Route {
  const [first = '', id, ...rest] = path.split('/').filter((part) => part !== '');
  if (first === 'turns' && id !== undefined && rest[0] === 'compare' && rest[1] !== undefined) {
    const [, otherId, ...more] = rest;
    return more.length > 0 ? { page: 'unknown', path } : { page: 'compare', turnId: id, otherId };
  }
  if (first === 'help') {
    return { page: 'help', topic: [id, ...rest].filter((part) => part !== undefined).join('/') };
  }
  if (rest.length > 0) return { page: 'unknown', path };
  if (id !== undefined) {
    if (first === 'sessions') return { page: 'session', sessionId: id };
    if (first === 'turns') return { page: 'turn', turnId: id };
    return { page: 'unknown', path };
  }
  if (first === '') return { page: 'home' };
  const plain = [
    'approvals',
    'agents',
    'queue',
    'memory',
    'schedules',
    'webhooks',
    'settings',
    'keys',
    'usage',
  ] as const;
  const page = plain.find((one) => one === first);
  return page === undefined ? { page: 'unknown', path } : { page };
}
