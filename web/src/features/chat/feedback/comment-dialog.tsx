import { useId, useState } from 'react';
import { Button } from '../../../components/button.js';
import { Dialog } from '../../../components/dialog.js';

/** The server's limit, in characters. */
const MAX_LENGTH = 4_000;

/** Edits the comment of a feedback, or removes the feedback. */
export function CommentDialog({
  comment,
  onSave,
  onRemove,
  onClose,
}: {
  /** Empty: none. */
  comment: string;
  onSave: (comment: string) => void;
  onRemove: () => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(comment);
  const id = useId();
  const closeAfter = (act: () => void) => (): void => {
    act();
    onClose();
  };
  return (
    <Dialog title="Feedback on this turn" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          closeAfter(() => onSave(text.trim()))();
        }}
      >
        <label htmlFor={id} className="mb-1 block text-xs font-medium">
          Comment
        </label>
        <textarea
          id={id}
          rows={4}
          autoFocus
          value={text}
          maxLength={MAX_LENGTH}
          onChange={({ target }) => setText(target.value)}
          className="block w-full rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-sm"
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button look="bad" onClick={closeAfter(onRemove)}>
            Remove feedback
          </Button>
          <Button type="submit" look="main">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
