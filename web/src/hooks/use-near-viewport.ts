import { useEffect, useRef } from 'react';

/** Calls `onSeen` once for each `subject`, when the element comes near the viewport. */
export function useNearViewport<Seen extends HTMLElement = HTMLElement>(
  subject: string,
  isWanted: boolean,
  onSeen: () => void,
) {
  const element = useRef<Seen>(null);
  const latest = useRef(onSeen);
  latest.current = onSeen;
  useEffect(() => {
    if (!isWanted || element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        latest.current();
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [subject, isWanted]);
  return element;
}
