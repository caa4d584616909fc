import { rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { StoredData } from '../../server/open-stored-data.js';
import { runOnData } from '../data/run-on-data.js';
import { parseCall } from '../arguments/parse-call.js';
import { serverOptions } from '../arguments/server-options.js';

const options = {
  session: { type: 'string' },
  principal: { type: 'string' },
  output: { type: 'string' },
  ...serverOptions,
} as const;

/** Bytes of the last line, at most. */
const END_BYTES = 200;

/**
 * `turnpike export`: writes sessions as lines of JSON, to standard output or to a file.
 *
 * @returns the exit code: 0; 1 when it failed; 2 for a wrong call.
 */
export function exportCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values } = parseCall(args, { options });
    const { session: sessionId, principal, output, url } = values;
    const run = async (data: StoredData): Promise<number> => {
      const tail = new Tail();
      const lines = tail.watch(await data.export({ sessionId, principal }));
      await (output === undefined ? print(lines) : save(lines, output));
      const where = output === undefined ? '' : ` to ${output}`;
      process.stderr.write(`${tail.sessions()} exported${where}.\n`);
      return 0;
    };
    return { url, run };
  });
}

async function print(lines: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(lines, process.stdout, { end: false });
}

/** A file under its name is whole. It has what people said: others cannot read it. */
async function save(lines: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const draft = `${file}.part`;
  try {
    await writeFile(draft, lines, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Keeps the end of an export, which says that it is whole. */
class Tail {
  #end = Buffer.alloc(0);

  async *watch(lines: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
    for await (const piece of lines) {
      const bytes = Buffer.from(piece);
      this.#end = Buffer.concat([this.#end, bytes.subarray(-END_BYTES)]).subarray(-END_BYTES);
      yield bytes;
    }
    this.sessions();
  }

  /** @throws Error where the end is missing. */
  sessions(): string {
    const [, count] = /\{"type":"end","sessions":(\d+)\}\n$/.exec(this.#end.toString()) ?? [];
    if (count === undefined)
      throw new Error('The export was cut off: it has no end. Call this again.');
    return `${count} session${count === '1' ? '' : 's'}`;
  }
}
