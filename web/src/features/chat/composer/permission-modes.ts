/** The permission modes, by the API's names and in words. */
export const permissionModes: readonly { value: string; words: string }[] = [
  { value: 'direct', words: 'Ask before changes' },
  { value: 'acceptEdits', words: 'Allow edits' },
  { value: 'plan', words: 'Plan: look only' },
  { value: 'dontAsk', words: 'Never ask: deny' },
];

/** The words for a mode; the API's name for an unknown one. Pure. */
export function modeWords(mode: string): string {
  return permissionModes.find(({ value }) => value === mode)?.words ?? mode;
}
