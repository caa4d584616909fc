import type { TurnEvent } from '../../events/turn-event.js';
import type { TurnEncoder } from './encode-turn.js';
import { formatFrame } from './sse-frame.js';

/** The length of a text, in characters, after which the next one begins. */
const TEXT_LENGTH = 64 * 1024;

/** Events as texts of whole frames, to the end of the events or to the dialect's last frame. */
export async function* frameTexts(
  batches: AsyncIterable<readonly TurnEvent[]>,
  encode: TurnEncoder,
): AsyncGenerator<string> {
  for await (const batch of batches) {
    let text = '';
    for (const event of batch) {
      for (const frame of encode(event)) text += formatFrame(frame);
      if (encode.isOver()) {
        if (text !== '') yield text;
        return;
      }
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}
