import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { MemoryFileView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';

/** The stored file, if it changed after it was opened. */
export type Conflict = MemoryFileView | 'deleted';

export interface FileEdit {
  text: string;
  type(text: string): void;
  /** The stored file that the last save met. The next save replaces this version. */
  conflict: Conflict | undefined;
  /** Sends the text. A conflict is no error of it. */
  saving: { isPending: boolean; error: unknown; reset(): void };
  save(): void;
}

/** Edits a file. Saving replaces only the version that the user has seen. */
export function useFileEdit(agent: string, opened: MemoryFileView, onStored: () => void): FileEdit {
  const { path } = opened;
  const [text, setText] = useState(opened.content);
  const [conflict, setConflict] = useState<Conflict>();
  const seen = conflict === 'deleted' ? null : (conflict?.version ?? opened.version);
  const save = async (): Promise<void> => {
    try {
      await client().memory.put(agent, path, { content: text, version: seen });
    } catch (fault) {
      if (!hasCode(fault, 'MEMORY_CHANGED')) throw fault;
      setConflict(await loadStored(agent, path));
      return;
    }
    onStored();
  };
  const saving = useMutation({ mutationFn: save });
  return { text, type: setText, conflict, saving, save: saving.mutate };
}

async function loadStored(agent: string, path: string): Promise<Conflict> {
  try {
    return await client().memory.get(agent, path);
  } catch (fault) {
    if (hasCode(fault, 'MEMORY_FILE_NOT_FOUND')) return 'deleted';
    throw fault;
  }
}

/** Whether a fault is an error of the server with this code. Pure. */
export function hasCode(fault: unknown, code: string): boolean {
  return fault instanceof TurnpikeError && fault.code === code;
}
