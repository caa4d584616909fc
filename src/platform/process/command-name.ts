import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root.js';

/** What a clone has for the shell of Windows, which runs no `./turnpike`. */
const SCRIPT = 'npm run turnpike --';

/**
 * How the user calls this program, for commands to type: `turnpike`, or in a clone its program, as in `./turnpike`.
 *
 * @param file what Node was told to run: a built file itself in a clone, a link to it where npm installed it.
 */
export function commandName(
  file: string | undefined = process.argv[1],
  folder: string = process.cwd(),
  root: string = packageRoot,
): string {
  if (!isClone(file, root)) return 'turnpike';
  if (process.platform === 'win32') return SCRIPT;
  const program = path.join(root, 'turnpike');
  const fromHere = path.relative(folder, program);
  const shown = fromHere.startsWith('..') ? program : `./${fromHere}`;
  return /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** As `commandName`, for what a server logs and sends: it names no folder of its machine. */
export function commandNameOfServer(file: string | undefined = process.argv[1]): string {
  if (!isClone(file, packageRoot)) return 'turnpike';
  return process.platform === 'win32' ? SCRIPT : './turnpike';
}

/** Whether a built file of a clone runs: the package that npm installs has no such program. */
function isClone(file: string | undefined, root: string): boolean {
  const built = ['cli.js', 'main.js'].map((name) => path.join(root, 'dist', name));
  return file !== undefined && built.includes(file) && existsSync(path.join(root, 'turnpike'));
}
