import { useCallback, useEffect } from 'react';
import type { ListedMemoryFile, MemoryView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Link } from '../../app/link.js';
import { Loading } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { useResource } from '../../app/use-resource.js';
import { formatAgo, formatBytes, formatCount } from '../../components/format.js';
import { FileText } from 'lucide-react';
import { DeleteButton } from '../../components/delete-button.js';
import { OpenFile } from './open-file.js';

/** The most files of a page of the list, which is more than memories have by default. */
const SHOWN_FILES = 200;

/** A memory of an agent: its files, and how much of its quota they take. */
export function MemoryCard({
  memory,
  opened,
  onOpen,
  onChange,
}: {
  memory: MemoryView;
  /** The file of it that is open. */
  opened: ListedMemoryFile | undefined;
  /** @param file undefined: none is to be open. */
  onOpen: (file: ListedMemoryFile | undefined) => void;
  onChange: () => void;
}) {
  const { agent, files, bytes, updatedAt, quota } = memory;
  const load = useCallback(() => client().memory.files(agent, { limit: SHOWN_FILES }), [agent]);
  const { value, fault, reload } = useResource(load);
  // After each write, by whomever: the rows stay while the list is loaded again.
  useEffect(reload, [reload, files, bytes, updatedAt]);
  const shown = value && keepOpened(value.files, opened, ({ path }) => path);
  const changed = (): void => {
    reload();
    onChange();
  };
  return (
    <li aria-label={agent} className="rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 flex-1 text-sm font-semibold [overflow-wrap:anywhere]">{agent}</h2>
        <span className="text-xs text-muted tabular-nums">
          {formatCount(files)} of {formatCount(quota.files)} files · {formatBytes(bytes)} of{' '}
          {formatBytes(quota.bytes)}
        </span>
      </div>
      {fault !== undefined && <FaultNote fault={fault} onRetry={reload} />}
      {value === undefined && fault === undefined && <Loading what="files" />}
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
                  mostBytes={quota.fileBytes}
                  onStored={changed}
                  onDeleted={() => {
                    onOpen(undefined);
                    changed();
                  }}
                />
              )}
            </li>
          );
        })}
      </ul>
      {value?.nextCursor !== undefined && (
        <p className="pt-2 text-xs text-muted">
          These are the first {SHOWN_FILES}. For all of them: turnpike memory list {agent}
        </p>
      )}
      <div className="mt-2 border-t border-line pt-3">
        <DeleteButton
          label="Delete all"
          title={`Delete all memories of ${agent}?`}
          onConfirm={async () => {
            await client().memory.delete(agent);
            onOpen(undefined);
            changed();
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
 * A list with the item that is open, also where that is not listed any more: what is typed into it stays. Pure.
 *
 * @param nameOf what an item is known by.
 */
export function keepOpened<T>(
  listed: readonly T[],
  opened: T | undefined,
  nameOf: (item: T) => string,
): readonly T[] {
  if (opened === undefined || listed.some((item) => nameOf(item) === nameOf(opened))) return listed;
  return [...listed, opened];
}
