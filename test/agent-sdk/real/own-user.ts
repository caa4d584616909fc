/** The user `nobody` of most systems. */
const NOBODY = 65_534;

/** The id of the user that runs the real SDK where root runs the tests: it refuses some modes as root. */
export function ownUser(): number | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Makes this process one of that user, for good. Root's groups go, too. */
export function becomeUser(id: number): void {
  process.setgroups?.([]);
  process.setgid?.(id);
  process.setuid?.(id);
}
