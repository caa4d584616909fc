/** Roles of a process: `api` serves clients, `worker` runs turns, `all` does both. */
export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

export function servesApi(role: Role): boolean {
  return role !== 'worker';
}

export function runsTurns(role: Role): boolean {
  return role !== 'api';
}
