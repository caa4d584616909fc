export class CreateError extends Error {
  code: 'USAGE' | 'NAME_INVALID' | 'FOLDER_NOT_EMPTY' | 'NODE_TOO_OLD';
}
export function createProject(given: readonly string[], node?: string): { folder: string };
