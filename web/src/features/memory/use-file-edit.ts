import { useState } from 'react';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { MemoryFileView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { useAct } from '../../app/use-act.js';

/** The file as it is stored, where it is not what was opened any more. */
export type Conflict = MemoryFileView | 'deleted';

export interface FileEdit {
  text: string;
  type(text: string): void;
  /** The version that the last try to save met; the next try takes the place of this version. */
  conflict: Conflict | undefined;
  /** The error of the last try, where it is no conflict. */
  fault: unknown;
  dismiss(): void;
  isBusy: boolean;
  save(): void;
}

/** A file that is being changed: it takes the place of the version that its author has seen, and of no other. */
export function useFileEdit(agent: string, opened: MemoryFileView, onStored: () => void): FileEdit {
  const { path } = opened;
  const [text, setText] = useState(opened.content);
  const [conflict, setConflict] = useState<Conflict>();
  const act = useAct();
  const seen = conflict === 'deleted' ? null : (conflict?.version ?? opened.version);
  const save = async (): Promise<void> => {
    try {
      await client().memory.put(agent, path, { content: text, version: seen });
    } catch (fault) {
      if (!isOf(fault, 'MEMORY_CHANGED')) throw fault;
      setConflict(await loadStored(agent, path));
      return;
    }
    onStored();
  };
  return {
    text,
    type: setText,
    conflict,
    fault: act.fault,
    dismiss: act.dismiss,
    isBusy: act.isBusy,
    save: () => act.run(save),
  };
}

async function loadStored(agent: string, path: string): Promise<Conflict> {
  try {
    return await client().memory.get(agent, path);
  } catch (fault) {
    if (isOf(fault, 'MEMORY_FILE_NOT_FOUND')) return 'deleted';
    throw fault;
  }
}

/** Whether a fault is the server's, of a code. Pure. */
export function isOf(fault: unknown, code: string): boolean {
  return fault instanceof TurnpikeError && fault.code === code;
}
