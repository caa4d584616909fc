import { fileURLToPath } from 'node:url';

/** The server and the command line as `npm start` runs them: a program and its first arguments. */
export const serverProgram = builtProgram('main.js');
export const cliProgram = builtProgram('cli.js');

/** Engine code is compiled once, without optimisation: most of these processes live for seconds. */
function builtProgram(file: string): [program: string, ...first: string[]] {
  const entry = fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url));
  return [process.execPath, '--liftoff-only', entry];
}
