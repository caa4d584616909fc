import { useEffect, useState } from 'react';
import { COMPOSER_ID } from '../chat/composer/composer.js';
import { Dialog } from '../ui/dialog.js';

const shortcuts: [string, string][] = [
  ['Enter', 'Send the message'],
  ['Shift + Enter', 'A new line'],
  ['Esc', 'Stop the turn, or close what is open'],
  ['/', 'To the message'],
  ['?', 'These keys'],
  ['Tab', 'To the next control'],
];

/** The keyboard shortcuts, and the dialog that lists them. */
export function Shortcuts() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setShown(true);
      if (event.key !== '/') return;
      event.preventDefault();
      document.getElementById(COMPOSER_ID)?.focus();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-sm">
        {shortcuts.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-md border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {key}
              </kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}
