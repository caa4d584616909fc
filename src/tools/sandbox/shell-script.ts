/**
 * What is written to a shell's input. The shell keeps its output under a number of its own, so that
 * a command that redirects or closes its own output does not take the marker's way along.
 */

/** High, because scripts use the low ones (and `flock`'s manual 200). */
const OUTPUT = 187;

/** Begins a shell: what it says itself (traces, complaints about input) goes to its stderr. */
export function openingLines(marker: string, setUp: readonly string[] = []): string {
  return [`exec ${OUTPUT}>&1`, ...setUp, markerLine(marker)].map((line) => `${line}\n`).join('');
}

/**
 * A command, and the marker after it. The command is an argument of `eval`: as plain input a syntax
 * error would end the shell, and an open quote would swallow the marker. Its stdin is empty, for the
 * shell's own is where the next command comes from.
 */
export function commandLines(command: string, marker: string): string {
  const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
  return `{ eval ${quoted}\n} </dev/null >&${OUTPUT} 2>&1 ${OUTPUT}>&-\n${markerLine(marker)}\n`;
}

/** In two words: a shell that repeats its input (`set -v`, `set -x`) does not say the marker. */
function markerLine(marker: string): string {
  const half = marker.length / 2;
  const words = `${marker.slice(0, half)} ${marker.slice(half)}`;
  return `builtin printf '%s%s%d\\n' ${words} "$?" >&${OUTPUT}`;
}
