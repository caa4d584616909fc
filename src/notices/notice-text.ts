/**
 * A notice for a model that takes no system messages inside a conversation: a block that no other text can
 * imitate (see `escapeSystemTags`).
 */
export function asSystemBlock(type: string, text: string): string {
  return `<system_message type="${type}">${escapeSystemTags(text)}</system_message>`;
}

/** Escapes `<system_message>` tags in the text of people, files and tools. */
export function escapeSystemTags(text: string): string {
  return text.replaceAll(/<(\s*\/?\s*)(?=system_message\b)/gi, '&lt;$1');
}
