import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Opens a tool's input as JSON in `$VISUAL` or `$EDITOR`, and parses what was saved.
 *
 * @throws Error for an editor that is missing or failed, or a text that is no JSON object.
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
    return parseObject(await readFile(file, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the editor by a shell: the variable may contain options. */
function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn(`${editor} ${JSON.stringify(file)}`, { shell: true, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`The editor ${editor} ${why}. Set EDITOR to an editor that is installed.`));
    child.once('error', ({ message }) => fail(`could not be started (${message})`));
    child.once('exit', (code) =>
      code === 0 ? resolve() : fail(`ended with ${code ?? 'a signal'}`),
    );
  });
}

function parseObject(text: string): Record<string, unknown> {
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
