import { useState } from 'react';
import type { MemoryFileView } from '#src/client/turnpike-client.js';
import { DiffView } from '../../components/diff-view.js';
import { useUnsaved } from '../../app/navigation.js';
import { MutationFault } from '../../components/fault-note.js';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { formatBytes } from '../../components/format.js';
import { TriangleAlert } from '../../components/icons.js';
import { DeleteButton } from '../../components/delete-button.js';
import { useFileEdit } from './use-file-edit.js';

/** Edits the text of a file. What is typed stays until it is saved, or discarded in a dialog. */
export function FileEditor({
  agent,
  file,
  maxBytes,
  onStored,
  onClose,
}: {
  agent: string;
  file: MemoryFileView;
  maxBytes: number;
  onStored: () => void;
  onClose: () => void;
}) {
  // The file as it was when it was opened, whatever is loaded after that.
  const [opened] = useState(file);
  const { path } = opened;
  const edit = useFileEdit(agent, opened, onStored);
  const bytes = new TextEncoder().encode(edit.text).length;
  const isChanged = edit.text !== opened.content;
  useUnsaved(isChanged, `Your changes to ${path} are not saved. Leave anyway?`);
  return (
    <form
      className="mt-2"
      onSubmit={(event) => {
        event.preventDefault();
        edit.save();
      }}
    >
      {edit.conflict !== undefined && (
        <Conflict path={path} stored={edit.conflict} typed={edit.text} />
      )}
      <Field
        label={`Text of ${path}`}
        about={`${formatBytes(bytes)} of ${formatBytes(maxBytes)}`}
        problem={bytes > maxBytes ? 'This is longer than a memory file may be.' : undefined}
      >
        {({ className, ...control }) => (
          <textarea
            rows={12}
            autoFocus
            spellCheck={false}
            {...control}
            className={`${className} font-mono text-xs leading-5`}
            value={edit.text}
            onChange={({ target }) => edit.type(target.value)}
          />
        )}
      </Field>
      <MutationFault of={edit.saving} />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button type="submit" look="main" disabled={edit.saving.isPending || bytes > maxBytes}>
          {saveWords(edit.conflict)}
        </Button>
        {isChanged ? (
          <DeleteButton
            label="Discard"
            title="Discard your changes?"
            onConfirm={() => Promise.resolve(onClose())}
          >
            What you typed is lost. The stored file does not change.
          </DeleteButton>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
      </div>
    </form>
  );
}

function saveWords(conflict: MemoryFileView | 'deleted' | undefined): string {
  if (conflict === undefined) return 'Save';
  return conflict === 'deleted' ? 'Save as a new file' : `Replace version ${conflict.version}`;
}

/** Says that the stored file has changed, and shows the difference to what is typed. */
function Conflict({
  path,
  stored,
  typed,
}: {
  path: string;
  stored: MemoryFileView | 'deleted';
  typed: string;
}) {
  return (
    <div
      role="alert"
      className="mb-3 rounded-lg border border-amber-line bg-amber-wash p-3 text-sm"
    >
      <p className="flex items-start gap-2 text-amber">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span>
          {stored === 'deleted'
            ? 'The file was deleted after you opened it. '
            : `${stored.turnId === null ? 'Somebody' : 'A turn'} changed the file after you opened it: it is at version ${stored.version} now. `}
          Nothing was saved, and your text is below.
        </span>
      </p>
      {stored !== 'deleted' && (
        <div className="mt-2">
          <p className="mb-1 text-xs text-muted">Changes from the stored file to your text:</p>
          <DiffView path={path} before={stored.content} after={typed} />
        </div>
      )}
    </div>
  );
}
