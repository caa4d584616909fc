import { useQuery } from '@tanstack/react-query';
import { invalidate } from '../../api/queries.js';
import { useState } from 'react';
import type { ListedMemoryFile } from '#src/client/turnpike-client.js';
import { OutputText } from '../../components/output-text.js';
import { client } from '../../api/client.js';
import { Loading, LoadFault } from '../../components/page.js';
import { Button } from '../../components/button.js';
import { Pencil } from '../../components/icons.js';
import { DeleteButton } from '../../components/delete-button.js';
import { FileEditor } from './file-editor.js';

/** A file as text, and what can be done with it. */
export function OpenFile({
  agent,
  listed: { path, version },
  maxBytes,
  onDeleted,
}: {
  agent: string;
  /** A new version of it is loaded. */
  listed: ListedMemoryFile;
  maxBytes: number;
  onDeleted: () => void;
}) {
  const loaded = useQuery({
    queryKey: ['memory', agent, path, version],
    queryFn: () => client().memory.get(agent, path),
  });
  const [isEditing, setEditing] = useState(false);
  // The text that is being edited stays while another version is loaded, and after the file was deleted.
  const [last, setLast] = useState(loaded.data);
  if (loaded.data !== undefined && loaded.data !== last) setLast(loaded.data);
  const file = loaded.data ?? last;
  if (file === undefined) {
    return loaded.error === null ? <Loading what="the file" /> : <LoadFault of={loaded} />;
  }
  if (isEditing) {
    return (
      <FileEditor
        agent={agent}
        file={file}
        maxBytes={maxBytes}
        onStored={() => {
          setEditing(false);
          void invalidate('memory');
        }}
        onClose={() => setEditing(false)}
      />
    );
  }
  return (
    <div className="mt-2">
      <OutputText text={file.content} label={`Text of ${path}`} />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={() => setEditing(true)}>
          <Pencil aria-hidden size={14} /> Edit
        </Button>
        <DeleteButton
          title={`Delete ${path}?`}
          onConfirm={async () => {
            await client().memory.delete(agent, path, file.version);
            onDeleted();
            await invalidate('memory');
          }}
        >
          The file is deleted permanently, and the agent will not know what was in it.
        </DeleteButton>
      </div>
    </div>
  );
}
