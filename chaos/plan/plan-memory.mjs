/** The memory file that all clients write to, beside those of their own. */
export const SHARED_FILE = '/memories/shared.md';

/** Most steps of a turn that writes. */
const MAX_WRITES = 4;

/**
 * Plans a turn that writes to a memory, one call a step. A client's own files are written by its turns alone,
 * one after the other. Each line is a marker of its own.
 *
 * @param {{ name: string, client: number }} turn
 * @param {import('./random.mjs').Random} random
 * @returns {{ message: string, opts: Record<string, unknown> }}
 */
export function planMemory({ name, client }, random) {
  const [own, moved] = [`/memories/own-${client}.md`, `/memories/moved-${client}.md`];
  const inputOf = (/** @type {number} */ step) => {
    const line = `${name}-${step}`;
    const insert = (/** @type {string} */ path) => ({
      command: 'insert',
      path,
      insert_line: 0,
      insert_text: line,
    });
    switch (random.pick(commands)) {
      case 'create':
        return { command: 'create', path: own, file_text: line };
      case 'insert':
        return insert(own);
      case 'share':
        return insert(SHARED_FILE);
      case 'begin':
        return { command: 'create', path: SHARED_FILE, file_text: line };
      case 'rename':
        return { command: 'rename', old_path: own, new_path: moved };
      case 'delete':
        return { command: 'delete', path: moved };
      default:
        throw new Error('Unknown command');
    }
  };
  const calls = Array.from(
    { length: random.whole(1, MAX_WRITES) },
    (_, index) => `[[tool=memory step=${index + 1} ${JSON.stringify(inputOf(index + 1))}]]`,
  );
  return { message: calls.join(' '), opts: { memory: true } };
}

/** The commands of turns, by their frequency. */
const commands = /** @type {const} */ ([
  'create',
  'create',
  'insert',
  'insert',
  'insert',
  'share',
  'share',
  'share',
  'begin',
  'rename',
  'delete',
]);
