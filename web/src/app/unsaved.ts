import { useEffect } from 'react';

/** Questions about texts that would be lost, each by the place that has the text. */
const questions = new Map<object, string>();

/** Asks about each text that would be lost. @returns false where the user keeps one: the page stays. */
export function mayLeave(): boolean {
  return [...questions.values()].every((question) => confirm(question));
}

/** Asks before the text is lost with its page, by a link, the browser's buttons or a closed tab. */
export function useUnsaved(isUnsaved: boolean, question: string): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const place = {};
    questions.set(place, question);
    return () => void questions.delete(place);
  }, [isUnsaved, question]);
}

// The browser has a question of its own.
addEventListener('beforeunload', (event) => {
  if (questions.size > 0) event.preventDefault();
});
