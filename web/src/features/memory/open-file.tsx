import { useCallback, useState } from 'react';
import type { ListedMemoryFile } from '#src/client/turnpike-client.js';
import { OpenText } from '../chat/text/open-text.js';
import { client } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Loading } from '../../components/page.js';
import { useResource } from '../../app/use-resource.js';
import { Button } from '../../components/button.js';
import { Pencil } from 'lucide-react';
import { DeleteButton } from '../../components/delete-button.js';
import { FileEditor } from './file-editor.js';

/** A file as text, and what can be done with it. */
export function OpenFile({
  agent,
  listed: { path, version },
  mostBytes,
  onStored,
  onDeleted,
}: {
  agent: string;
  /** With the latest version: another one is loaded. */
  listed: ListedMemoryFile;
  mostBytes: number;
  onStored: () => void;
  onDeleted: () => void;
}) {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- loaded again for each version.
  const load = useCallback(() => client().memory.get(agent, path), [agent, path, version]);
  const { value: loaded, fault, reload } = useResource(load);
  const [isEditing, setEditing] = useState(false);
  // The text that is edited stays while another version is loaded.
  const [last, setLast] = useState(loaded);
  if (loaded !== undefined && loaded !== last) setLast(loaded);
  const file = loaded ?? last;
  if (file === undefined) {
    return fault === undefined ? (
      <Loading what="the file" />
    ) : (
      <FaultNote fault={fault} onRetry={reload} />
    );
  }
  if (isEditing) {
    return (
      <FileEditor
        agent={agent}
        file={file}
        mostBytes={mostBytes}
        onStored={() => {
          setEditing(false);
          onStored();
        }}
        onClose={() => setEditing(false)}
      />
    );
  }
  return (
    <div className="mt-2">
      <OpenText text={file.content} label={`Text of ${path}`} />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={() => setEditing(true)}>
          <Pencil aria-hidden size={14} /> Edit
        </Button>
        <DeleteButton
          title={`Delete ${path}?`}
          onConfirm={async () => {
            await client().memory.delete(agent, path, file.version);
            onDeleted();
          }}
        >
          The file is deleted permanently, and the agent will not know what was in it.
        </DeleteButton>
      </div>
    </div>
  );
}
