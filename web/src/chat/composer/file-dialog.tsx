import { Dialog } from '../../ui/dialog.js';
import { formatBytes } from '../../ui/format.js';
import type { AttachedFile } from '../conversation/turn-view.js';

/** A file of a message: a picture as it is, any other to be saved. */
export function FileDialog({ file, onClose }: { file: AttachedFile; onClose: () => void }) {
  const { name, mimeType, size, previewUrl, contentUrl } = file;
  return (
    <Dialog title={name} isWide={previewUrl !== undefined} onClose={onClose}>
      <p className="mb-3 text-xs text-muted">
        {[mimeType, formatBytes(size)].filter((one) => one !== '').join(' · ')}
      </p>
      {previewUrl !== undefined && (
        <img src={previewUrl} alt={name} className="mx-auto max-h-[70vh] rounded-lg" />
      )}
      {contentUrl === undefined ? (
        <p className="text-sm text-muted">
          Its content is not in this page: it was sent before the page was loaded, or from another
          one. The model has it.
        </p>
      ) : (
        <p className="mt-3 text-sm">
          <a href={contentUrl} download={name} className="text-accent-ink underline">
            Save {name}
          </a>
        </p>
      )}
    </Dialog>
  );
}
