/** What the ratchets of `npm run check` look at: the way of a plain turn, functions, doors and faces. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The list of files that a plain turn passes, each at its first leg. A test compares it with a server that runs. */
export const PLAIN_TURN = 'docs/internals/plain-turn.md';

/**
 * @returns {{ plainTurnFiles: number, plainTurnLines: number, largestFunction: number, doors: number, facesForWires: number }}
 */
export function measureHouse() {
  const sources = listSources();
  const way = filesOfPlainTurn();
  return {
    plainTurnFiles: way.length,
    plainTurnLines: way.reduce((sum, file) => sum + linesOf(file), 0),
    largestFunction: largestFunction(sources).lines,
    doors: countDoors(),
    facesForWires: facesForWires(sources).length,
  };
}

/** Patterns of files in rooms that any folder may enter. */
function countDoors() {
  const { forbidden } = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs'));
  const { to } = forbidden.find(({ name }) => name === 'rooms-are-private');
  // The first is a folder's own rooms.
  return to.pathNot.length - 1;
}

/** @returns {string[]} the files of the way from the repository's root, without those that also run in the background alone. */
export function filesOfPlainTurn() {
  const [way = ''] = readFileSync(path.join(root, PLAIN_TURN), 'utf8').split(
    '## In the background',
  );
  const files = [...way.matchAll(/^- `(src\/[^`]+)`/gm)].map(([, file]) => file);
  const gone = files.filter((file) => !existsSync(path.join(root, file)));
  if (gone.length > 0) throw new Error(`${PLAIN_TURN} names what is not there: ${gone.join(', ')}`);
  return files;
}

/** @param {readonly string[]} sources @returns {{ name: string, file: string, lines: number }} */
export function largestFunction(sources) {
  return sources
    .flatMap((file) => functionsOf(file))
    .reduce((largest, one) => (one.lines > largest.lines ? one : largest), {
      name: '',
      file: '',
      lines: 0,
    });
}

/** Files outside of `wires/` that wires import, types included. @param {readonly string[]} sources */
export function facesForWires(sources) {
  const wires = sources.filter((file) => /^src\/wires\/(?!framing\/)/.test(file));
  const targets = wires.flatMap((file) => importsOf(file));
  return [...new Set(targets)]
    .filter((target) => !/^src\/wires\/(?!framing\/)/.test(target))
    .toSorted();
}

/** The server's files without its tests. @returns {string[]} */
export function listSources() {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .toSorted();
}

/** @param {string} file @returns {{ name: string, file: string, lines: number }[]} */
function functionsOf(file) {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const functions = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const [first, last] = [node.getStart(source), node.end].map(
        (at) => source.getLineAndCharacterOfPosition(at).line,
      );
      functions.push({ name: node.name?.getText(source) ?? '', file, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return functions;
}

/** @param {string} file @returns {string[]} the files that it imports by a relative path. */
function importsOf(file) {
  return [...read(file).matchAll(/\bfrom '(\.[^']+)\.js'/g)].map(
    ([, specifier]) => `${path.join(path.dirname(file), specifier)}.ts`,
  );
}

function linesOf(file) {
  return read(file).split('\n').length - 1;
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}
