import { SHARED_FILE } from '../plan/plan-memory.mjs';

/** @typedef {import('../types.js').MemoryCallRow} MemoryCallRow */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/**
 * Checks a memory against the calls that succeeded, done again one after the other: each line that they leave is
 * there once, and no other. Lines are markers of their own. The file that all clients write is made once and inserted
 * into, in whatever order.
 *
 * @param {readonly MemoryCallRow[]} calls in their order
 * @param {ReadonlyMap<string, string>} files the contents, by path
 * @returns {Violation[]}
 */
export function checkMemory(calls, files) {
  /** @type {Violation[]} */
  const found = [];
  /** @type {Map<string, string[]>} */
  const model = new Map();
  /** The turn of each line. @type {Map<string, string>} */
  const turns = new Map();
  const isMade = (/** @type {MemoryCallRow} */ { input }) =>
    input['command'] === 'create' && input['path'] === SHARED_FILE;
  const ordered = [...calls.filter(isMade), ...calls.filter((call) => !isMade(call))];
  for (const { turnId, callId, input, status } of ordered) {
    const line = String(input['insert_text'] ?? input['file_text'] ?? '');
    turns.set(line, turnId);
    if (status !== 'success') continue;
    const fault = apply(model, input, line);
    if (fault === undefined) continue;
    found.push({ kind: 'memory-lost', turnId, note: `${callId} succeeded, though ${fault}` });
  }
  const report = (
    /** @type {ViolationKind} */ kind,
    /** @type {string} */ line,
    /** @type {string} */ note,
  ) => found.push({ kind, turnId: turns.get(line) ?? '', note: `${line} ${note}` });
  for (const path of new Set([...model.keys(), ...files.keys()])) {
    const expected = model.get(path) ?? [];
    const stored = files.get(path)?.split('\n') ?? [];
    for (const line of new Set([...expected, ...stored])) {
      const [due, is] = [expected, stored].map((all) => all.filter((one) => one === line).length);
      const note = `is ${is} times in ${path}, expected is ${due}`;
      if ((is ?? 0) < (due ?? 0)) report('memory-lost', line, note);
      if ((is ?? 0) > (due ?? 0)) report('memory-twice', line, note);
    }
  }
  return found;
}

/**
 * Does what a call that succeeded did.
 *
 * @param {Map<string, string[]>} model lines by path
 * @param {MemoryCallRow['input']} input
 * @param {string} line
 * @returns {string | undefined} why it could not have succeeded
 */
function apply(model, input, line) {
  const path = String(input['path'] ?? input['old_path']);
  const lines = model.get(path);
  if (input['command'] === 'create') {
    model.set(path, [line]);
    return lines === undefined ? undefined : `${path} is there already`;
  }
  switch (input['command']) {
    case 'insert':
      model.set(path, [line, ...(lines ?? [])]);
      break;
    case 'rename':
      model.delete(path);
      model.set(String(input['new_path']), lines ?? []);
      break;
    case 'delete':
      model.delete(path);
      break;
    default:
      throw new Error(`Unknown command: ${String(input['command'])}`);
  }
  return lines === undefined ? `${path} is not there` : undefined;
}
