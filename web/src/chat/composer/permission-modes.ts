/** What a session may do unasked, as the API has it and in words. */
export const permissionModes: readonly { value: string; words: string }[] = [
  { value: 'direct', words: 'Ask before changes' },
  { value: 'acceptEdits', words: 'Allow edits' },
  { value: 'plan', words: 'Plan: look only' },
  { value: 'dontAsk', words: 'Never ask: deny' },
];

/** A mode that this page does not know is called what the API calls it. Pure. */
export function modeWords(mode: string): string {
  return permissionModes.find(({ value }) => value === mode)?.words ?? mode;
}
