import { useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end that still count as being there. */
const NEAR = 40;

/**
 * Keeps a scrolled box at its end while it grows, unless its reader has scrolled away. The box is
 * moved between layout and paint, so that nothing is seen to jump.
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
      // What grew below the reader is no scrolling of the reader's.
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
