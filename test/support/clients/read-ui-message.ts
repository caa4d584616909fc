import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

/** A message as the package makes it of its chunks, or what it says is wrong with them. */
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
  // An `error` chunk is no fault of the stream.
  const said = new Set(chunks.map((chunk) => (chunk.type === 'error' ? chunk.errorText : '')));
  const onError = (error: unknown): void => {
    if (!(error instanceof Error && said.has(error.message))) faults.push(error);
  };
  let message = before;
  const states = readUIMessageStream({ stream, onError, ...(before && { message: before }) });
  for await (const state of states) message = state;
  if (faults.length > 0) throw faults[0];
  return message;
}
