import { useEffect, useState } from 'react';
import { emptyResult, foldResult } from '../../../src/client/turn/turn-result.js';
import { client, reportFault } from '../app/client.js';

/**
 * The text of a turn as it streams.
 *
 * @param isUnended whether there is anything to wait for.
 * @param onEnd called once the turn has ended; stable.
 */
export function useLiveText(
  turnId: string,
  isUnended: boolean,
  onEnd: () => void,
): { text: string; fault: unknown } {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    if (!isUnended) return undefined;
    const reading = new AbortController();
    const { signal } = reading;
    const read = async (): Promise<void> => {
      let state = emptyResult;
      for await (const event of client().follow(turnId, { signal })) {
        state = foldResult(state, event);
        setText(state.earlierText + state.streamingText);
      }
      onEnd();
    };
    read().catch((thrown: unknown) => {
      if (!signal.aborted) setFault(reportFault(thrown));
    });
    return () => reading.abort();
  }, [turnId, isUnended, onEnd]);
  return { text, fault };
}
