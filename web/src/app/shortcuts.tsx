import { useEffect } from 'react';
import { Dialog } from '../components/dialog.js';
import { navigate } from './navigation.js';
import { useValue, ValueStore } from '../hooks/value-store.js';

/** The id of the field for a message, where the page has one. */
export const COMPOSER_ID = 'composer';

const shortcuts: [string, string][] = [
  ['Enter', 'Send the message'],
  ['Shift + Enter', 'New line'],
  ['Esc', 'Stop the turn, or close a dialog'],
  ['/', 'Go to the message field'],
  ['Alt + N', 'New session'],
  ['Alt + ↑ / ↓', 'Previous or next session'],
  ['Alt + A', 'Allow the tool call that is waiting'],
  ['Alt + D', 'Deny it'],
  ['Ctrl + /', 'Show these shortcuts'],
];

const isShown = new ValueStore(false);

export function showShortcuts(): void {
  isShown.set(true);
}

/** The keyboard shortcuts, and the dialog that lists them. */
export function Shortcuts() {
  useEffect(() => {
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  if (!useValue(isShown)) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => isShown.set(false)}>
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

function onKeyDown(event: KeyboardEvent): void {
  const act = actOf(event);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** What a key does; undefined for one that is no shortcut here. */
function actOf({ key, code, target, altKey, ctrlKey, metaKey }: KeyboardEvent) {
  if (document.querySelector('dialog[open]') !== null) return undefined;
  if (ctrlKey || metaKey) return key === '/' && !altKey ? showShortcuts : undefined;
  if (altKey) return altActs[code];
  if (isTyping(target)) return undefined;
  if (key === '?') return showShortcuts;
  return key === '/' ? () => document.getElementById(COMPOSER_ID)?.focus() : undefined;
}

/** By the key's position on the keyboard: with Alt it may type another letter. */
const altActs: Readonly<Record<string, () => void>> = {
  KeyN: () => navigate('/'),
  KeyA: () => press('[data-answer=allow]'),
  KeyD: () => press('[data-answer=deny]'),
  ArrowUp: () => goBy(-1),
  ArrowDown: () => goBy(1),
};

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

/** Goes to the session before or after the open one in the list. */
function goBy(steps: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-session]')];
  const at = links.findIndex((link) => link.getAttribute('aria-current') === 'page');
  const next = at === -1 ? links[0] : links[at + steps];
  if (next !== undefined) navigate(next.pathname);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}
