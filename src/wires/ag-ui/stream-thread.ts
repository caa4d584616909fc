import { streamTexts, type FrameStream } from '../../http/streams/frame-batch.js';
import { formatFrame } from '../framing/sse-frame.js';
import { snapshotEvents, type ReadingRun } from './dialect/ag-ui-snapshot.js';

/** The stream of a run that reads a thread. Its frames have no ids: they are made anew each time. */
export function streamThread(run: ReadingRun): FrameStream {
  const frames = snapshotEvents(run).map((event) => formatFrame({ data: JSON.stringify(event) }));
  return streamTexts(async function* () {
    yield* frames;
  });
}
