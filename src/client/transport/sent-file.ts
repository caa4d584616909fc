/** Bytes that are produced as they are asked for, such as a file that is opened for reading. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** A file to send: a `File`, or bytes and their name. */
export type FileToSend =
  | File
  | { name: string; content: Blob | Uint8Array }
  | {
      name: string;
      content: ByteStream;
      /** Bytes, for progress alone. */
      size?: number;
    };

export interface SentFile {
  name: string;
  content: Blob | ByteStream;
  /** Bytes. */
  size: number | undefined;
}

export function toSentFile(file: FileToSend): SentFile {
  if (!('content' in file)) return { name: file.name, content: file, size: file.size };
  const { name, content } = file;
  if (content instanceof Blob) return { name, content, size: content.size };
  if (content instanceof Uint8Array) {
    // A copy: a view of shared memory is refused by `Blob`.
    const blob = new Blob([new Uint8Array(content)]);
    return { name, content: blob, size: blob.size };
  }
  return { name, content, size: 'size' in file ? file.size : undefined };
}
