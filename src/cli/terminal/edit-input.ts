import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Has a tool's input changed in `$VISUAL` or `$EDITOR`, as JSON.
 *
 * @throws Error that says what is wrong: no editor, one that failed, or no JSON object.
 */
export async function editInput(
  input: unknown,
  environment: Record<string, string | undefined>,
): Promise<Record<string, unknown>> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-edit-'));
  try {
    const file = path.join(folder, 'input.json');
    await writeFile(file, `${JSON.stringify(input, null, 2)}\n`, { mode: 0o600 });
    await runEditor(editor, file);
    return readObject(await readFile(file, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** By a shell: the variable may hold options. */
function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn(`${editor} ${JSON.stringify(file)}`, { shell: true, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`The editor ${editor} ${why}. Set EDITOR to one that is there.`));
    child.once('error', ({ message }) => fail(`could not be started (${message})`));
    child.once('exit', (code) =>
      code === 0 ? resolve() : fail(`ended with ${code ?? 'a signal'}`),
    );
  });
}

function readObject(text: string): Record<string, unknown> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return input as Record<string, unknown>;
  }
  throw new Error('An input is a JSON object: { … }');
}
