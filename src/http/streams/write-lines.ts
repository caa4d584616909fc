import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

export interface WriteLinesDeps {
  clock: Clock;
  logger: Pick<Logger, 'error'>;
  /** Time after which a reader that takes nothing loses its connection, in ms. */
  timeoutMs: number;
}

/**
 * Writes an answer as it is made, at the reader's pace: the source makes the next line when this one is taken.
 * Resolves when the answer is over, also when the reader left.
 *
 * @param head the answer's headers.
 * @throws what the source throws before its first line, which can still be the answer. A later error breaks the
 *   connection off.
 */
export async function writeLines(
  response: ServerResponse,
  lines: AsyncGenerator<string>,
  { head, ...deps }: WriteLinesDeps & { head: Readonly<Record<string, string>> },
): Promise<void> {
  let next = await lines.next();
  response.writeHead(200, head);
  try {
    // An answer to HEAD is its headers.
    if (response.req.method === 'HEAD') return void response.end();
    for (; next.done !== true && !response.destroyed; next = await lines.next()) {
      if (!response.write(next.value)) await drained(response, deps);
    }
    response.end();
  } catch (error) {
    deps.logger.error(
      { error },
      'a response broke off; its client got only a part, and can send the request again',
    );
    response.destroy();
  } finally {
    await lines.return(undefined);
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(
  response: ServerResponse,
  { clock, timeoutMs }: Pick<WriteLinesDeps, 'clock' | 'timeoutMs'>,
): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const cancelTimer = clock.after(timeoutMs, () => response.destroy());
    const settle = (): void => {
      cancelTimer();
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}
