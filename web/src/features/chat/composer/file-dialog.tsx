import { useEffect, useState } from 'react';
import { FaultNote } from '../../../components/fault-note.js';
import { Loading } from '../../../components/page.js';
import { Dialog } from '../../../components/dialog.js';
import { formatBytes } from '../../../components/format.js';
import type { AttachedFile } from '../conversation/turn-view.js';
import { isPicture, useFileContent } from './use-file-content.js';

/** Characters of a text that are shown; the rest is in the saved file. */
const SHOWN = 100_000;

/** A file of a message: a picture or a text as it is; any can be saved. */
export function FileDialog({ file, onClose }: { file: AttachedFile; onClose: () => void }) {
  const { name, mimeType, size } = file;
  const { blob, url, fault } = useFileContent(file, true);
  const isShown = isPicture(mimeType) || isText(mimeType);
  return (
    <Dialog title={name} isWide={isShown} onClose={onClose}>
      <p className="mb-3 text-xs text-muted">
        {[mimeType, formatBytes(size)].filter((one) => one !== '').join(' · ')}
      </p>
      {fault !== undefined && <FaultNote fault={fault} />}
      {fault === undefined && url === undefined && <Loading what="the file" />}
      {url !== undefined && isPicture(mimeType) && (
        <img src={url} alt={name} className="mx-auto max-h-[70vh] rounded-lg" />
      )}
      {blob !== undefined && isAudio(mimeType) && <Player blob={blob} file={file} />}
      {blob !== undefined && isText(mimeType) && <TextOf blob={blob} />}
      {url !== undefined && (
        <p className="mt-3 text-sm">
          <a href={url} download={name} className="text-accent-ink underline">
            Save {name}
          </a>
        </p>
      )}
    </Dialog>
  );
}

/** Plays a recording. The server sends it as bytes of no type, which no player takes. */
function Player({
  blob,
  file: { name, mimeType },
}: {
  blob: Blob;
  file: Pick<AttachedFile, 'name' | 'mimeType'>;
}) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type: mimeType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, mimeType]);
  // A recording comes without captions.
  return url === undefined ? null : (
    <audio controls src={url} aria-label={name} className="w-full" />
  );
}

/** The text of a file, never as HTML. */
function TextOf({ blob }: { blob: Blob }) {
  const [text, setText] = useState<string>();
  useEffect(() => void blob.text().then(setText), [blob]);
  if (text === undefined) return null;
  return (
    <>
      <pre
        tabIndex={0}
        aria-label="Content"
        className="max-h-[65vh] overflow-auto rounded-lg bg-sunken p-3 text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text.slice(0, SHOWN)}
      </pre>
      {text.length > SHOWN && (
        <p className="mt-2 text-xs text-muted">
          The first {SHOWN.toLocaleString('en-US')} characters. Save the file to read the rest.
        </p>
      )}
    </>
  );
}

function isAudio(mimeType: string): boolean {
  return mimeType.startsWith('audio/');
}

function isText(mimeType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|toml)$/.test(mimeType);
}
