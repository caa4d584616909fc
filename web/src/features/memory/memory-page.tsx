import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedMemoryFile, MemoryView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, LoadedList, EmptyState, Page } from '../../components/page.js';
import { mayLeave } from '../../app/navigation.js';
import { Button } from '../../components/button.js';
import { Plus } from '../../components/icons.js';
import { keepOpened, MemoryCard } from './memory-card.js';
import { NewFile } from './new-file.js';

const POLL_MS = 5_000;

/** The file that is open: one of all memories. */
interface OpenedFile {
  memory: MemoryView;
  file: ListedMemoryFile;
}

/** The files that agents keep for the user between conversations. */
export function MemoryPage() {
  const listed = useQuery({
    queryKey: ['memory'],
    queryFn: () => client().memory.list(),
    refetchInterval: POLL_MS,
  });
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<OpenedFile>();
  const emptied = opened && { ...opened.memory, files: 0, bytes: 0 };
  const memories = listed.data && keepOpened(listed.data, emptied, ({ agent }) => agent);
  return (
    <Page
      title="Memory"
      lead="Notes that agents keep for you between conversations."
      actions={
        <Button look="main" onClick={() => setAdding(true)}>
          <Plus aria-hidden size={14} /> New file
        </Button>
      }
    >
      <LoadedList
        from={{ ...listed, data: memories }}
        what="memories"
        nothing={
          <EmptyState title="No memories yet.">
            An agent with <code>memory: true</code> in its file stores notes here, and you can write
            some for it. <HelpLink topic="guide/memory">How memory works</HelpLink>
          </EmptyState>
        }
      >
        {(memory) => (
          <MemoryCard
            key={memory.agent}
            memory={memory}
            opened={opened?.memory.agent === memory.agent ? opened.file : undefined}
            onOpen={(file) => mayLeave() && setOpened(file && { memory, file })}
          />
        )}
      </LoadedList>
      {isAdding && (
        <NewFile
          keepers={listed.data?.map(({ agent }) => agent) ?? []}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}
