import { useCallback, useEffect, useState, type RefObject } from 'react';

/** Pixels of a question that are to be seen: the name of the call alone is no question that can be answered. */
const SEEN = 64;

/**
 * Whether an open question of the conversation is out of sight, and what brings it back: the window may have become
 * smaller, or the reader has scrolled away.
 *
 * @param box the box that scrolls. @param content what grows in it.
 */
export function useHiddenQuestion(
  box: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): { isHidden: boolean; show: () => void } {
  const [isHidden, setHidden] = useState(false);
  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null) return undefined;
    const look = (): void => {
      const questions = questionsIn(inner);
      setHidden(questions.length > 0 && !questions.some((one) => isSeen(one, element)));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    observer.observe(inner);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box, content]);
  const show = useCallback(() => {
    const last = content.current === null ? undefined : questionsIn(content.current).at(-1);
    // The answers are at the end of a question, which may be higher than the box.
    const fits = (last?.offsetHeight ?? 0) < (box.current?.clientHeight ?? 0);
    last?.scrollIntoView({ block: fits ? 'center' : 'end' });
    last?.querySelector<HTMLElement>('button, input, select, textarea')?.focus();
  }, [box, content]);
  return { isHidden, show };
}

function questionsIn(content: HTMLElement): HTMLElement[] {
  return [...content.querySelectorAll<HTMLElement>('[data-question]')];
}

/** Whether its answers are seen, which are at its end. */
function isSeen(question: HTMLElement, box: HTMLElement): boolean {
  const { top, bottom } = question.getBoundingClientRect();
  const seen = box.getBoundingClientRect();
  return bottom <= seen.bottom + SEEN / 4 && Math.max(top, bottom - SEEN) >= seen.top;
}
