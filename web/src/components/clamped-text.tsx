import { useEffect, useRef, useState, type ReactNode } from 'react';

/** A text of three lines at most, with a button for the rest of a longer one. */
export function ClampedText({ text, className }: { text: ReactNode; className: string }) {
  const element = useRef<HTMLParagraphElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const shown = element.current;
    if (shown === null || isOpen) return undefined;
    const observer = new ResizeObserver(() => setLong(shown.scrollHeight > shown.clientHeight + 1));
    observer.observe(shown);
    return () => observer.disconnect();
  }, [text, isOpen]);
  return (
    <>
      <p
        ref={element}
        className={`[overflow-wrap:anywhere] ${isOpen ? '' : 'line-clamp-3'} ${className}`}
      >
        {text}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="text-xs underline"
        >
          {isOpen ? 'less' : 'more'}
        </button>
      )}
    </>
  );
}
