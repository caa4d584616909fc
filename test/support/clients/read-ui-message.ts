import * as ai7 from 'ai';
import type { UIMessage, UIMessageChunk } from 'ai';
import * as ai6 from 'ai-6';
import type { AiSdkVersion } from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';

export type AiPackage = typeof ai7;

/** The package that reads the streams of a version. Tests use of major 6 what 7 has too, though its types are others. */
export const aiPackages: Readonly<Record<AiSdkVersion, AiPackage>> = {
  '6': ai6 as unknown as AiPackage,
  '7': ai7,
  '7-steering': ai7,
};

/** The message that a version's package makes of chunks, or its errors about them. */
export async function readUiMessage(
  version: AiSdkVersion,
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
  const { readUIMessageStream } = aiPackages[version];
  let message = before;
  const states = readUIMessageStream({ stream, onError, ...(before && { message: before }) });
  for await (const state of states) message = state;
  if (faults.length > 0) throw faults[0];
  return message;
}
