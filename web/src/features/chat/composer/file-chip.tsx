import { Suspense, useState, type Ref } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import { FileText, X } from '../../../components/icons.js';
import { formatBytes } from '../../../components/format.js';
import type { AttachedFile } from '../conversation/turn-view.js';
import { useNearViewport } from '../../../hooks/use-near-viewport.js';
import { describeFileFault } from './describe-file-fault.js';
import type { ChosenFile } from './use-attachments.js';
import { isPicture, useFileContent } from './use-file-content.js';

const FileDialog = lazyPart(async () => (await import('./file-dialog.js')).FileDialog);

const frame =
  'relative flex w-52 max-w-full items-center gap-2 rounded-lg border bg-panel p-1.5 text-left text-xs';

/** A file of a sent message, which opens with a click. */
export function FileChip({ file }: { file: AttachedFile }) {
  const [isOpen, setOpen] = useState(false);
  const words = (
    <>
      <Preview file={file} />
      <FileWords
        name={file.name}
        detail={
          file.leftOut === true ? 'Left out: the provider refused it' : formatBytes(file.size)
        }
      />
    </>
  );
  return (
    <>
      <button
        type="button"
        title={`Open ${file.name}`}
        onClick={() => setOpen(true)}
        className={`${frame} border-line hover:bg-sunken`}
      >
        {words}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <FileDialog file={file} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** A file of the next message, with the progress of its upload, or why it is refused. */
export function ChosenChip({ file, onRemove }: { file: ChosenFile; onRemove: () => void }) {
  const { name, size, sent, uploadedId, fault } = file;
  const percent = size === 0 ? 100 : Math.round((sent * 100) / size);
  const isSending = uploadedId === undefined && fault === undefined;
  return (
    <li
      className={`${frame} ${fault === undefined ? 'border-line' : 'w-72! items-start! border-bad'}`}
    >
      {fault === undefined ? <Preview file={file} /> : <FileSign />}
      {fault === undefined ? (
        <FileWords name={name} detail={formatBytes(size)} />
      ) : (
        <FileWords name={name} detail={describeFileFault(fault)} isBad />
      )}
      <button
        type="button"
        aria-label={`Remove ${name}`}
        onClick={onRemove}
        className="grid size-6 shrink-0 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink"
      >
        <X size={13} />
      </button>
      {isSending && (
        <progress
          aria-label={`Uploading ${name}`}
          value={percent}
          max={100}
          className="absolute inset-x-1.5 bottom-0 h-0.5 w-[calc(100%-0.75rem)] appearance-none overflow-hidden rounded-full bg-sunken [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        />
      )}
    </li>
  );
}

/** A small picture of the file, which is loaded once it is near the viewport; a sign for any other file. */
function Preview({ file }: { file: { mimeType: string; id?: string; content?: Blob } }) {
  const [isBroken, setBroken] = useState(false);
  const [isNear, setNear] = useState(false);
  const isWanted = isPicture(file.mimeType) && !isBroken;
  const sign = useNearViewport<HTMLSpanElement>('', isWanted && !isNear, () => setNear(true));
  const { url } = useFileContent(file, isWanted && isNear);
  if (url === undefined || !isWanted) return <FileSign at={sign} />;
  return (
    <img
      src={url}
      alt=""
      onError={() => setBroken(true)}
      className="size-9 shrink-0 rounded-md object-cover"
    />
  );
}

function FileSign({ at }: { at?: Ref<HTMLSpanElement> }) {
  return (
    <span
      ref={at}
      className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted"
    >
      <FileText aria-hidden size={16} />
    </span>
  );
}

function FileWords({
  name,
  detail,
  isBad = false,
}: {
  name: string;
  detail: string;
  isBad?: boolean;
}) {
  return (
    <span className="min-w-0 flex-1">
      <span className="block truncate font-medium" title={name}>
        {name}
      </span>
      <span
        role={isBad ? 'alert' : undefined}
        className={isBad ? 'block text-bad [overflow-wrap:anywhere]' : 'block truncate text-muted'}
      >
        {detail}
      </span>
    </span>
  );
}
