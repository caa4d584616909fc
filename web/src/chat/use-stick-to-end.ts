import { useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end that still count as the end. */
const NEAR = 40;

/**
 * Keeps a scrolling box at its end while it grows, unless the reader has scrolled away. The box is
 * scrolled between layout and paint, so that nothing jumps.
 */
export function useStickToEnd() {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    isStuck.current = true;
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null) return undefined;
    let height = element.scrollHeight;
    const onScroll = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Growth below the viewport is not the reader's scrolling.
      if (isNear || element.scrollHeight === height) isStuck.current = isNear;
      height = element.scrollHeight;
      setAtEnd(isNear);
    };
    const observer = new ResizeObserver(() => {
      height = element.scrollHeight;
      if (isStuck.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { box, content, isAtEnd, toEnd };
}
