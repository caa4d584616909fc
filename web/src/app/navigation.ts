import type { MouseEvent } from 'react';
import { parseRoute, type Route } from './route.js';
import { ValueStore } from './value-store.js';

/** The current page, by the History API. */
export const currentRoute = new ValueStore<Route>(parseRoute(location.pathname));

addEventListener('popstate', () => currentRoute.set(parseRoute(location.pathname)));

export function navigate(path: string, { replace = false } = {}): void {
  if (path === location.pathname) return;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  currentRoute.set(parseRoute(path));
}

/** The `onClick` of a link between pages; a click with a modifier is left to the browser. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(event.currentTarget.pathname);
}
