import { isMap, isScalar, isSeq, type LineCounter } from 'yaml';

/** Lines in the file, from 1, by field path (`permissions.deny.0`). */
export type FieldLines = ReadonlyMap<string, number>;

/** The lines of all fields and items of a YAML tree; aliases are not followed. */
export function linesOf(root: unknown, counter: LineCounter): FieldLines {
  const lines = new Map<string, number>();
  walk(root, '', { counter, lines });
  return lines;
}

/** The line of a field, else of its closest parent, else 1. */
export function lineOf(lines: FieldLines, path: string): number {
  const line = lines.get(path);
  if (line !== undefined) return line;
  const end = path.lastIndexOf('.');
  return end === -1 ? 1 : lineOf(lines, path.slice(0, end));
}

interface Walk {
  counter: LineCounter;
  lines: Map<string, number>;
}

function walk(node: unknown, prefix: string, into: Walk): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (isScalar(key)) visit(key, value, { prefix, name: String(key.value), into });
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      visit(item, item, { prefix, name: String(index), into });
    }
  }
}

function visit(
  node: unknown,
  value: unknown,
  { prefix, name, into }: { prefix: string; name: string; into: Walk },
): void {
  const path = prefix + name;
  const offset = offsetOf(node);
  if (offset !== undefined) into.lines.set(path, into.counter.linePos(offset).line);
  walk(value, `${path}.`, into);
}

function offsetOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined;
}
