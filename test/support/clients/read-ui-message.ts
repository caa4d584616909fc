import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

/** The message that the package makes of chunks, or its errors about them. */
export async function readUiMessage(
  chunks: readonly UIMessageChunk[],
  before?: UIMessage,
): Promise<UIMessage | undefined> {
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const faults: unknown[] = [];
  // Texts of `error` chunks are no fault of the stream.
  const errorTexts = new Set(
    chunks.map((chunk) => (chunk.type === 'error' ? chunk.errorText : '')),
  );
  const onError = (error: unknown): void => {
    if (!(error instanceof Error && errorTexts.has(error.message))) faults.push(error);
  };
  let message = before;
  const states = readUIMessageStream({ stream, onError, ...(before && { message: before }) });
  for await (const state of states) message = state;
  if (faults.length > 0) throw faults[0];
  return message;
}
