import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What npm takes for the name of a package without a scope. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;

/** The oldest Node that runs tools in TypeScript without a build. */
const OLDEST = [22, 18];

/** Why no project was made: USAGE, NAME_INVALID, FOLDER_NOT_EMPTY or NODE_TOO_OLD. The message says what to do. */
export class CreateError extends Error {
  /**
   * @param {'USAGE' | 'NAME_INVALID' | 'FOLDER_NOT_EMPTY' | 'NODE_TOO_OLD'} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes a project in a new or empty folder of the current one.
 *
 * @param {readonly string[]} given the name of the project, and nothing else.
 * @param {string} [node] the version of Node that is to run it.
 * @returns {{ folder: string }} the folder's name.
 * @throws {CreateError} before anything is written.
 */
export function createProject(given, node = process.versions.node) {
  const [name = '', ...others] = given;
  if (name === '' || name.startsWith('-') || others.length > 0) {
    throw new CreateError(
      'USAGE',
      'Give the name of the project alone: npm create turnpike my-app',
    );
  }
  if (!NAME.test(name)) {
    throw new CreateError(
      'NAME_INVALID',
      `npm takes no package with the name ${JSON.stringify(name)}. Use small letters, digits, ".", "_" and "-", and begin with a letter or a digit: my-app`,
    );
  }
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new CreateError(
      'NODE_TOO_OLD',
      `This is Node ${node}, which does not run tools in TypeScript. Install Node ${OLDEST.join('.')} or later, and run this again.`,
    );
  }
  if (existsSync(name) && readdirSync(name).length > 0) {
    throw new CreateError(
      'FOLDER_NOT_EMPTY',
      `There are files in ${path.resolve(name)}. Choose another name, or empty that folder.`,
    );
  }
  cpSync(at('template'), name, { recursive: true });
  // npm packs no file with this name.
  renameSync(path.join(name, 'gitignore'), path.join(name, '.gitignore'));
  nameProject(name);
  return { folder: name };
}

/** Fills in what depends on the name, and on the version of this package, which is that of Turnpike. */
function nameProject(name) {
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const file = path.join(name, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const dependencies = { ...manifest.dependencies, turnpike: `^${version}` };
  writeFileSync(file, `${JSON.stringify({ name, ...manifest, dependencies }, null, 2)}\n`);
  const readme = path.join(name, 'README.md');
  writeFileSync(readme, readFileSync(readme, 'utf8').replace('# my-app', `# ${name}`));
}
