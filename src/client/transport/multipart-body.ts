import type { SentFile } from './sent-file.js';

export interface MultipartBody {
  contentType: string;
  stream: ReadableStream<Uint8Array>;
}

/**
 * A form with one file, streamed: the file is never in memory as a whole.
 *
 * @param boundary random, so that the file does not contain it.
 * @param onBytes called with the length of each chunk of the file after it was taken.
 */
export function multipartBody(
  file: SentFile,
  boundary: string,
  onBytes: (bytes: number) => void,
): MultipartBody {
  const bytes = write(file, boundary, onBytes);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    stream: new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await bytes.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => void (await bytes.return(undefined)),
      },
      { highWaterMark: 0 },
    ),
  };
}

async function* write(
  { name, content }: SentFile,
  boundary: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const text = new TextEncoder();
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${escapeName(name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const stream = content instanceof Blob ? content.stream() : content;
  for await (const chunk of Symbol.asyncIterator in stream ? stream : chunksOf(stream)) {
    yield chunk;
    onBytes(chunk.byteLength);
  }
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** Iterates a stream, which not every browser can do by itself. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Escapes a file name as browsers do in forms. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
