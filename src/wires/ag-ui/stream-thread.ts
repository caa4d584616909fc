import { streamTexts, type FrameStream } from '../../http/streams/frame-batch.js';
import { formatFrame } from '../framing/sse-frame.js';
import { toOldEvent } from './dialect/ag-ui-frames.js';
import { snapshotEvents, type ReadingRun } from './dialect/ag-ui-frames.js';

/** The stream of a run that reads a thread. Its frames have no ids: they are made anew each time. */
export function streamThread(run: ReadingRun & { isOld: boolean }): FrameStream {
  const events = snapshotEvents(run).map((event) => (run.isOld ? toOldEvent(event) : event));
  const frames = events.map((event) => formatFrame({ data: JSON.stringify(event) }));
  return streamTexts(async function* () {
    yield* frames;
  });
}
