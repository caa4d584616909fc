import { useCallback, useEffect, useRef, useState } from 'react';
import { compact } from '#src/platform/compact.js';
import { client, reportFault } from '../../../api/client.js';
import { formatBytes } from '../../../components/format.js';

export interface ChosenFile {
  key: string;
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  content: File;
  /** Bytes that were sent. */
  sent: number;
  /** Set once the upload is complete. */
  uploadedId?: string;
  fault?: unknown;
}

export interface Attachments {
  files: readonly ChosenFile[];
  add: (files: Iterable<File>) => void;
  remove: (key: string) => void;
  /** Removes all files, once they belong to a turn. */
  clear: () => void;
}

/**
 * The files of the next message, which are uploaded as they are chosen.
 *
 * @param maxBytes of one file; a larger one is refused here.
 */
export function useAttachments(maxBytes = Number.POSITIVE_INFINITY): Attachments {
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const sending = useRef(new Map<string, AbortController>());
  const count = useRef(0);

  const change = useCallback((key: string, change: Partial<ChosenFile>) => {
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, ...change } : one)));
  }, []);

  const add = useCallback(
    (chosen: Iterable<File>) => {
      for (const file of chosen) {
        count.current += 1;
        const key = `file-${count.current}`;
        const isTooLarge = file.size > maxBytes;
        const fault = isTooLarge ? new Error(tooLarge(file.size, maxBytes)) : undefined;
        const { name, type: mimeType, size } = file;
        const described = { key, name, mimeType, size, content: file, sent: 0 };
        setFiles((all) => [...all, { ...described, ...compact({ fault }) }]);
        if (isTooLarge) continue;
        const stop = new AbortController();
        sending.current.set(key, stop);
        client()
          .uploads.send(file, {
            signal: stop.signal,
            onProgress: ({ sent }) => change(key, { sent }),
          })
          .then(({ id }) => change(key, { uploadedId: id, sent: file.size }))
          .catch((fault: unknown) => {
            if (!stop.signal.aborted) change(key, { fault: reportFault(fault) });
          });
      }
    },
    [change, maxBytes],
  );

  const remove = useCallback((key: string) => {
    sending.current.get(key)?.abort();
    setFiles((all) => all.filter((one) => one.key !== key));
  }, []);

  const clear = useCallback(() => setFiles([]), []);
  useEffect(() => {
    const all = sending.current;
    return () => {
      for (const stop of all.values()) stop.abort();
    };
  }, []);
  return { files, add, remove, clear };
}

function tooLarge(bytes: number, maxBytes: number): string {
  return `Too large: ${formatBytes(bytes)}; a file may have ${formatBytes(maxBytes)}.`;
}
