import type { UIMessage, UIMessageChunk } from 'ai';
import type { Frame } from '../framing/dialect.js';

/**
 * The message that clients make of a stream's frames, by the package's own fold.
 *
 * @returns undefined for frames that begin no message.
 */
export async function foldFrames(frames: readonly Frame[]): Promise<UIMessage | undefined> {
  const { createUIMessageStream } = await import('ai');
  const chunks = mergeDeltas(frames);
  if (chunks.length === 0) return undefined;
  const folded: UIMessage[] = [];
  const stream = createUIMessageStream({
    execute: ({ writer }) => chunks.forEach((chunk) => writer.write(chunk)),
    onFinish: ({ responseMessage }) => void folded.push(responseMessage),
  });
  // The message is whole once the stream was read.
  await stream.pipeTo(new WritableStream());
  return folded[0];
}

/** Makes one delta of those that follow on each other: the fold costs as much for each as for all. */
function mergeDeltas(frames: readonly Frame[]): UIMessageChunk[] {
  const chunks: UIMessageChunk[] = [];
  for (const { data } of frames) {
    if (data === '[DONE]') continue;
    // The dialect wrote it.
    const chunk = JSON.parse(data) as UIMessageChunk;
    const last = chunks.at(-1);
    const merged = last === undefined ? undefined : merge(last, chunk);
    if (merged === undefined) chunks.push(chunk);
    else chunks.splice(-1, 1, merged);
  }
  return chunks;
}

function merge(a: UIMessageChunk, b: UIMessageChunk): UIMessageChunk | undefined {
  if (a.type === 'tool-input-delta' && b.type === 'tool-input-delta') {
    const inputTextDelta = a.inputTextDelta + b.inputTextDelta;
    return a.toolCallId === b.toolCallId ? { ...a, inputTextDelta } : undefined;
  }
  const isText = a.type === 'text-delta' && b.type === 'text-delta';
  const isThought = a.type === 'reasoning-delta' && b.type === 'reasoning-delta';
  if (!(isText || isThought) || a.id !== b.id) return undefined;
  return { ...a, delta: a.delta + b.delta };
}
