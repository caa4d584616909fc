/**
 * Lines for a shell's input. The shell duplicates its output to another file descriptor for the marker,
 * so that a command may redirect or close its own output.
 */

/** The file descriptor of the marker; high, because scripts use low ones (and `flock`'s manual 200). */
const OUTPUT = 187;

/** The first lines of a shell, whose own messages (traces, syntax errors) stay on its stderr. */
export function openingLines(marker: string, setUp: readonly string[] = []): string {
  return [`exec ${OUTPUT}>&1`, ...setUp, markerLine(marker)].map((line) => `${line}\n`).join('');
}

/**
 * A command and the marker after it. The command is an argument of `eval`: as plain input a syntax error
 * would end the shell, and an open quote would swallow the marker. Its stdin is empty, as the shell's
 * own stdin brings the next command.
 */
export function commandLines(command: string, marker: string): string {
  const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
  return `{ eval ${quoted}\n} </dev/null >&${OUTPUT} 2>&1 ${OUTPUT}>&-\n${markerLine(marker)}\n`;
}

/**
 * Prints the marker from two halves: a shell that echoes its input (`set -v`, `set -x`) must not
 * print it.
 */
function markerLine(marker: string): string {
  const half = marker.length / 2;
  const words = `${marker.slice(0, half)} ${marker.slice(half)}`;
  return `builtin printf '%s%s%d\\n' ${words} "$?" >&${OUTPUT}`;
}
