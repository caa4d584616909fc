/** Bytes that come as they are asked for: a file that is being read, for example. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** A file to send: a `File`, or bytes and the name they have. */
export type FileToSend =
  | File
  | { name: string; content: Blob | Uint8Array }
  | {
      name: string;
      content: ByteStream;
      /** Bytes, where they are known: for progress only. */
      size?: number;
    };

export interface SentFile {
  name: string;
  content: Blob | ByteStream;
  /** Bytes. */
  size: number | undefined;
}

export function readFileToSend(file: FileToSend): SentFile {
  if (!('content' in file)) return { name: file.name, content: file, size: file.size };
  const { name, content } = file;
  if (content instanceof Blob) return { name, content, size: content.size };
  if (content instanceof Uint8Array) {
    // A copy: what it is a view of may be shared, which no blob takes.
    const blob = new Blob([new Uint8Array(content)]);
    return { name, content: blob, size: blob.size };
  }
  return { name, content, size: 'size' in file ? file.size : undefined };
}
