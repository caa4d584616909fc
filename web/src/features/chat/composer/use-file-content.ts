import { useEffect, useState } from 'react';
import { client, reportFault } from '../../../api/client.js';
import type { AttachedFile } from '../conversation/turn-view.js';

export interface FileContent {
  blob?: Blob;
  /** An object URL, for as long as the content is used. */
  url?: string;
  fault?: unknown;
}

/** Whether the browser shows the file as a picture. SVG is none: it may contain scripts. */
export function isPicture(mimeType: string): boolean {
  return /^image\/(png|jpe?g|gif|webp)$/.test(mimeType);
}

/** The content of a file: as it was chosen in this page, or from the server, with the page's key. */
export function useFileContent(
  { id, content }: Partial<Pick<AttachedFile, 'id' | 'content'>>,
  isWanted: boolean,
): FileContent {
  const [loaded, setLoaded] = useState<FileContent>({});
  useEffect(() => {
    if (!isWanted) return undefined;
    const gone = new AbortController();
    let url: string | undefined;
    const show = (blob: Blob): void => {
      if (gone.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setLoaded({ blob, url });
    };
    if (content !== undefined) show(content);
    else if (id !== undefined) {
      client()
        .uploads.load(id, { signal: gone.signal })
        .then(show)
        .catch((fault: unknown) => {
          if (!gone.signal.aborted) setLoaded({ fault: reportFault(fault) });
        });
    }
    return () => {
      gone.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
      setLoaded({});
    };
  }, [id, content, isWanted]);
  return loaded;
}
