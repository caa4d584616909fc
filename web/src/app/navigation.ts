import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';
import { navigate as pushPath } from 'wouter/use-browser-location';

/** Questions about texts that would be lost, each by the component that has the text. */
const questions = new Map<object, string>();

/** Asks about each text that would be lost. @returns false where the user keeps one: the page stays. */
export function mayLeave(): boolean {
  return [...questions.values()].every((question) => confirm(question));
}

/** Asks before the text is lost with its page, by a link, the browser's buttons or a closed tab. */
export function useUnsaved(isUnsaved: boolean, question: string): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const owner = {};
    questions.set(owner, question);
    return () => void questions.delete(owner);
  }, [isUnsaved, question]);
}

/** Goes to a page, unless the user keeps what is not saved here. */
export function navigate(path: string): void {
  if (path === location.pathname + location.search || !mayLeave()) return;
  pushPath(path);
  shown = location.href;
}

/** For the router: links go where `navigate` does. */
export const followLink: AroundNavHandler = (_push, path) => navigate(path);

/** The address of the page that is shown. */
let shown = location.href;

// The browser has gone there already: who stays gets the page again, as the latest of the history. The router hears
// of it after this.
addEventListener(
  'popstate',
  () => {
    if (mayLeave()) shown = location.href;
    else history.pushState(null, '', shown);
  },
  { capture: true },
);

// The browser has a question of its own.
addEventListener('beforeunload', (event) => {
  if (questions.size > 0) event.preventDefault();
});
