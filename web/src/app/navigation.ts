import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';
import { navigate as pushPath } from 'wouter/use-browser-location';

/** What to ask about each text that is not saved, by the component that holds the text. */
const questions = new Map<object, string>();

/** Asks the user about each text that is not saved. @returns false if the user wants to stay. */
export function mayLeave(): boolean {
  return [...questions.values()].every((question) => confirm(question));
}

/** Asks before the page is left with an unsaved text: by a link, the browser's buttons or a closed tab. */
export function useUnsaved(isUnsaved: boolean, question: string): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const owner = {};
    questions.set(owner, question);
    return () => void questions.delete(owner);
  }, [isUnsaved, question]);
}

/** Goes to a page, unless the user wants to stay with an unsaved text. */
export function navigate(path: string): void {
  if (path === location.pathname + location.search || !mayLeave()) return;
  pushPath(path);
  shown = location.href;
}

/** For the router: links go where `navigate` does. */
export const followLink: AroundNavHandler = (_push, path) => navigate(path);

/** The address of the page that is shown. */
let shown = location.href;

// The browser has changed the address already. If the user stays, the address is put back as a new entry of the
// history. The router reads the address after this.
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
