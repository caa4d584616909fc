import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../ui/button.js';
import type { ShownTurn } from '../conversation/turn-view.js';

/** The field that changes a message: the new one takes the place of its turn. */
export function MessageEditor({
  user,
  onCancel,
  onSend,
}: {
  user: ShownTurn['user'];
  onCancel: () => void;
  onSend: (message: string) => void;
}) {
  const [text, setText] = useState(user.text);
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();
  const isReady = text.trim() !== '' || user.files.length > 0;
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(user.text.length, user.text.length);
  }, [user.text]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key !== 'Enter' || event.shiftKey) return;
    else if (isReady) onSend(text);
    // Escape would stop the turn that runs.
    event.preventDefault();
  };
  return (
    <div className="mb-3 ml-8 rounded-2xl border border-accent bg-panel p-1.5 sm:ml-16">
      <textarea
        ref={field}
        rows={1}
        aria-label="Edited message"
        aria-describedby={hintId}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-60 min-h-12 w-full resize-none bg-transparent px-2 pt-1.5 outline-none [field-sizing:content]"
      />
      <div className="flex flex-wrap items-end justify-end gap-2 pl-2">
        <p id={hintId} className="min-w-48 flex-1 pb-1 text-xs text-muted">
          Replaces this message and everything after it. The earlier version stays readable, and
          files in the folder are not changed back.
        </p>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button look="main" disabled={!isReady} onClick={() => onSend(text)}>
          Send
        </Button>
      </div>
    </div>
  );
}
