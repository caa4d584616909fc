import type { MouseEvent } from 'react';
import { mayLeave } from './unsaved.js';
import { parseRoute, type Route } from './route.js';
import { ValueStore } from '../hooks/value-store.js';

/** The current page, by the History API. */
export const currentRoute = new ValueStore<Route>(parseRoute(location.pathname));

/** The path of the page that is shown. */
let shown = location.pathname;

addEventListener('popstate', () => {
  // The browser has gone there already: whoever stays has the page again, as the latest of the history.
  if (mayLeave()) show(location.pathname);
  else history.pushState(null, '', shown);
});

function show(path: string): void {
  shown = path;
  currentRoute.set(parseRoute(path.split('?')[0] ?? ''));
}

/** Goes to a page, unless the user keeps what was not saved here. */
export function navigate(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search || !mayLeave()) return;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  show(path);
}

/** The `onClick` of a link between pages; a click with a modifier is left to the browser. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const { pathname, search } = event.currentTarget;
  navigate(pathname + search);
}
