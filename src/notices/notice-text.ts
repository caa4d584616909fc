/**
 * What the server says to a model that takes no system messages inside a conversation: a block that
 * nothing else can look like (see `escapeSystemTags`).
 */
export function asSystemBlock(type: string, text: string): string {
  return `<system_message type="${type}">${escapeSystemTags(text)}</system_message>`;
}

/** Text of people, files and tools: a `<system_message>` in it is shown as text. */
export function escapeSystemTags(text: string): string {
  return text.replaceAll(/<(\s*\/?\s*)(?=system_message\b)/gi, '&lt;$1');
}
