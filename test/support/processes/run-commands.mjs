/**
 * Runs commands of the built `turnpike` one after another in this process, for run-turnpike.ts. Its entry is evaluated
 * anew for each, with arguments, an environment, a folder, an input and outputs of its own; what the entry imports is
 * loaded once.
 */
import { Readable, Writable } from 'node:stream';

const [entry] = process.argv.slice(2);
let count = 0;
let last = Promise.resolve();
process.on('message', (call) => {
  last = last.then(async () => process.send(await run(call)));
});

async function run({ args, environment, cwd, input }) {
  const [stdout, stderr] = [[], []];
  process.argv = [process.execPath, entry, ...args];
  process.env = { ...environment };
  process.chdir(cwd);
  replace({
    stdin: Readable.from([Buffer.from(input)]),
    stdout: into(stdout),
    stderr: into(stderr),
  });
  process.exitCode = undefined;
  await import(`${entry}?${(count += 1)}`);
  const code = process.exitCode;
  process.exitCode = undefined;
  const [out, err] = [stdout, stderr].map((pieces) => Buffer.concat(pieces).toString());
  return { code, stdout: out, stderr: err };
}

function replace(streams) {
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
}

function into(pieces) {
  return new Writable({
    write: (piece, _encoding, done) => {
      pieces.push(piece);
      done();
    },
  });
}
