import { AgentName } from '../../components/agent-name.js';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { invalidate, useCommand } from '../../api/queries.js';
import type { ListedMemoryFile, MemoryView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { Link } from 'wouter';
import { Loading, LoadFault } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { formatAgo, formatBytes, formatCount } from '../../components/format.js';
import { FileText } from '../../components/icons.js';
import { DeleteButton } from '../../components/delete-button.js';
import { OpenFile } from './open-file.js';

/** Files on the page: more than the default quota. */
const SHOWN_FILES = 200;

/** A memory of an agent: its files, and how much of its quota they take. */
export function MemoryCard({
  memory,
  opened,
  onOpen,
}: {
  memory: MemoryView;
  /** The file of it that is open. */
  opened: ListedMemoryFile | undefined;
  /** @param file undefined: closes the open file. */
  onOpen: (file: ListedMemoryFile | undefined) => void;
}) {
  const { agent, files, bytes, updatedAt, quota } = memory;
  const command = useCommand();
  const listed = useQuery({
    // After each write, the rows stay while the list is loaded again.
    queryKey: ['memory', agent, 'files', { files, bytes, updatedAt }],
    queryFn: () => client().memory.files(agent, { limit: SHOWN_FILES }),
    placeholderData: keepPreviousData,
  });
  const shown = listed.data && keepOpened(listed.data.files, opened, ({ path }) => path);
  return (
    <li aria-label={agent} className="rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 flex-1 text-sm font-semibold [overflow-wrap:anywhere]">
          <AgentName name={agent} />
        </h2>
        <span className="text-xs text-muted tabular-nums">
          {formatCount(files)} of {formatCount(quota.files)} files · {formatBytes(bytes)} of{' '}
          {formatBytes(quota.bytes)}
        </span>
      </div>
      <LoadFault of={listed} />
      {listed.isPending && listed.error === null && <Loading what="files" />}
      <ul className="mt-2 divide-y divide-line">
        {shown?.map((file) => {
          const isOpen = file.path === opened?.path;
          return (
            <li key={file.path} aria-label={file.path} className="py-1.5">
              <FileRow
                file={file}
                isOpen={isOpen}
                onOpen={() => onOpen(isOpen ? undefined : file)}
              />
              {isOpen && (
                <OpenFile
                  agent={agent}
                  listed={file}
                  maxBytes={quota.fileBytes}
                  onDeleted={() => onOpen(undefined)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {listed.data?.nextCursor !== undefined && (
        <p className="pt-2 text-xs text-muted">
          These are the first {SHOWN_FILES}. For all of them: {command(`memory list ${agent}`)}
        </p>
      )}
      <div className="mt-2 border-t border-line pt-3">
        <DeleteButton
          label="Delete all"
          title={`Delete all memories of ${agent}?`}
          onConfirm={async () => {
            await client().memory.delete(agent);
            onOpen(undefined);
            await invalidate('memory');
          }}
        >
          {formatCount(files)} {files === 1 ? 'file is' : 'files are'} deleted permanently.
        </DeleteButton>
      </div>
    </li>
  );
}

function FileRow({
  file: { path, bytes, turnId, updatedAt, version },
  isOpen,
  onOpen,
}: {
  file: ListedMemoryFile;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const now = useNow(10_000);
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onOpen}
        className="flex min-w-0 flex-1 basis-48 items-baseline gap-1.5 text-left font-mono text-[0.8125rem] text-accent-ink [overflow-wrap:anywhere] hover:underline"
      >
        <FileText aria-hidden size={13} className="shrink-0 self-center" /> {path}
      </button>
      <span className="text-xs text-muted tabular-nums">{formatBytes(bytes)}</span>
      <span className="text-xs text-muted" title={`Version ${version}`}>
        {turnId === null ? (
          'by you'
        ) : (
          <Link href={`/turns/${turnId}`} className="text-accent-ink underline">
            by a turn
          </Link>
        )}{' '}
        · {formatAgo(updatedAt, now)}
      </span>
    </div>
  );
}

/**
 * The list, with the open item even if it is no longer listed, so that what is typed into it stays. Pure.
 *
 * @param nameOf the identity of an item.
 */
export function keepOpened<T>(
  listed: readonly T[],
  opened: T | undefined,
  nameOf: (item: T) => string,
): readonly T[] {
  if (opened === undefined || listed.some((item) => nameOf(item) === nameOf(opened))) return listed;
  return [...listed, opened];
}
