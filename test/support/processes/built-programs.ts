import { fileURLToPath } from 'node:url';

/** Code is compiled once, without optimisation, and garbage collected by the one thread: most of these live for seconds. */
export const nodeOptions: readonly string[] = [
  '--liftoff-only',
  '--no-opt',
  '--single-threaded-gc',
];

/** The server and the command line as `npm start` runs them: a program and its first arguments. */
export const serverProgram = builtProgram('main.js');
export const cliProgram = builtProgram('cli.js');

/** A function of a shell that calls the command line, also where it is in a folder with blanks. */
export const turnpikeFunction = `turnpike() { ${cliProgram.map((word) => `'${word}'`).join(' ')} "$@"; }\n`;

function builtProgram(file: string): [program: string, ...first: string[]] {
  const entry = fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url));
  return [process.execPath, ...nodeOptions, entry];
}
