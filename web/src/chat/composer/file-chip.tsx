import { FileText, X } from '../../ui/icons/icons.js';
import { describeFault } from '../../app/describe-fault.js';
import { formatBytes } from '../../ui/format.js';
import type { AttachedFile } from '../conversation/turn-view.js';
import type { ChosenFile } from './use-attachments.js';

const frame =
  'relative flex w-52 max-w-full items-center gap-2 rounded-lg border bg-panel p-1.5 text-xs';

/** A file of a sent message. */
export function FileChip({ file }: { file: AttachedFile }) {
  return (
    <div className={`${frame} border-line`}>
      <Preview file={file} />
      <FileWords
        name={file.name}
        detail={
          file.leftOut === true ? 'Left out: the provider refused it' : formatBytes(file.size)
        }
      />
    </div>
  );
}

/** A file of the next message, with the progress of its upload. */
export function ChosenChip({ file, onRemove }: { file: ChosenFile; onRemove: () => void }) {
  const { name, size, sent, uploadedId, fault } = file;
  const percent = size === 0 ? 100 : Math.round((sent * 100) / size);
  const isSending = uploadedId === undefined && fault === undefined;
  const detail = fault === undefined ? formatBytes(size) : describeFault(fault).text;
  return (
    <li className={`${frame} ${fault === undefined ? 'border-line' : 'border-bad'}`}>
      <Preview file={file} />
      <FileWords name={name} detail={detail} isBad={fault !== undefined} />
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
          aria-label={`Sending ${name}`}
          value={percent}
          max={100}
          className="absolute inset-x-1.5 bottom-0 h-0.5 w-[calc(100%-0.75rem)] appearance-none overflow-hidden rounded-full bg-sunken [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        />
      )}
    </li>
  );
}

function Preview({ file }: { file: { name: string; previewUrl?: string } }) {
  if (file.previewUrl !== undefined) {
    return <img src={file.previewUrl} alt="" className="size-9 shrink-0 rounded-md object-cover" />;
  }
  return (
    <span className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted">
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
      <span className={`block truncate ${isBad ? 'text-bad' : 'text-muted'}`} title={detail}>
        {detail}
      </span>
    </span>
  );
}
