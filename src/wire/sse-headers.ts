import type { IncomingMessage, ServerResponse } from 'node:http';

/** The contract's headers of a stream. */
const streamHeaders: Record<string, string> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
};

/**
 * The framework's SSE writer sets these headers itself, when it writes the head, and lets no route
 * override them: so they are corrected on the way through. Middleware.
 */
export function fixSseHeaders(
  _request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1);
    if (isStreamHead(headers)) Object.assign(headers, streamHeaders);
    return Reflect.apply(writeHead, response, [status, ...rest]);
  }) as typeof response.writeHead;
  next();
}

function isStreamHead(headers: unknown): headers is Record<string, string> {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    'Content-Type' in headers &&
    headers['Content-Type'] === 'text/event-stream'
  );
}
