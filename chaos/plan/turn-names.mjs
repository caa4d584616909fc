/** The name of a turn of the run, at the head of its message. @param {number} index */
export function nameOf(index) {
  return `t${index}`;
}

/** @param {string} name @param {string} message */
export function withName(name, message) {
  return `Turn ${name}. ${message}`;
}

/**
 * The names of turns whose messages are in a request to the model, in order.
 *
 * @param {readonly { role: string, content: string | readonly { type: string, text?: unknown }[] }[]} messages
 * @returns {string[]}
 */
export function namesIn(messages) {
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content))
    .flatMap(({ text }) => parseName(text) ?? []);
}

/**
 * The name at the head of a message; undefined: it has none.
 *
 * @param {unknown} text
 */
export function parseName(text) {
  return /^Turn (t\d+)\. /.exec(String(text))?.[1];
}
