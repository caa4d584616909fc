import type { Readable } from 'node:stream';

const longestLine = 1_000;
const mostCharacters = 1_048_576;

/**
 * Passes on the lines of a stream, each cut at 1000 characters. After 1 MiB it reads on and says
 * nothing more: a command that cannot write its messages would stop.
 */
export function logStderr(stream: Readable, onLine: (line: string) => void): void {
  let open = '';
  let left = mostCharacters;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    if (left <= 0) return;
    left -= text.length;
    const lines = (open + text).split('\n');
    open = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, longestLine));
  });
}
