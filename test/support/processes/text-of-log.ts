/** What the lines of a log say, one below the other. */
export function textOf(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => (line.startsWith('{') ? (JSON.parse(line) as { msg: string }).msg : line))
    .map((text) => `${text}\n`)
    .join('');
}
