export class CreateError extends Error {
  code:
    | 'USAGE'
    | 'NAME_INVALID'
    | 'NOT_A_FOLDER'
    | 'FOLDER_NOT_EMPTY'
    | 'NOT_WRITTEN'
    | 'NODE_TOO_OLD';
}
export function runWith(command: string, execPath?: string): string;
export function createProject(
  given: readonly string[],
  from?: { node?: string; packages?: string },
): { folder: string };
