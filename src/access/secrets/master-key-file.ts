import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../platform/error-code.js';
import type { Logger } from '../../platform/logger.js';
import { FileInvalidError, ParsedFiles } from '../../platform/parsing/load-file.js';
import type { TextFault } from '../../platform/parsing/parse-text.js';
import type { WrittenText } from '../../platform/text/written-text.js';
import { openBytes, sealBytes } from './seal.js';

/** A data key as it is stored. */
interface WrappedKey {
  /** The name of the master key that wraps it. */
  by: string;
  text: string;
}

/** The keys that wrap data keys: those of a file, or of a service that keeps keys and gives them to nobody. */
export interface MasterKeys {
  /** Loads the name of the key that wraps from now on. */
  current(): Promise<string>;
  /** @param context the place of the data key: it can be unwrapped with the same context alone. */
  wrap(dataKey: Buffer, context: string): Promise<WrappedKey>;
  /** @throws MasterKeyMissingError; Error where the data key is damaged, or of another context. */
  unwrap(wrapped: WrappedKey, context: string): Promise<Buffer>;
}

/** A data key is wrapped by a master key that is not there. */
export class MasterKeyMissingError extends Error {
  override readonly name = 'MasterKeyMissingError';

  constructor(readonly keyName: string) {
    super(`There is no master key ${keyName}`);
  }
}

interface MasterKey {
  name: string;
  bytes: Buffer;
}

const KEY_BYTES = 32;
const variable = 'TURNPIKE_MASTER_KEY_FILE';

/**
 * Opens the file of `TURNPIKE_MASTER_KEY_FILE`: a key a line, 32 bytes in base64. The first wraps, all unwrap. An edit
 * takes effect with the next data key; while it is not valid, the keys before it do.
 *
 * @throws FileInvalidError for a wrong line, or a file that others can read. It never has a key.
 */
export async function openMasterKeyFile(file: string, logger: Logger): Promise<MasterKeys> {
  await checkMode(file);
  const files = new ParsedFiles<readonly MasterKey[]>();
  const load = async () =>
    (await files.load(file, (written) => parseKeys(written, file))) ?? missing(file);
  let last = await load();
  const keys = async (): Promise<readonly MasterKey[]> => {
    try {
      last = await load();
    } catch (error) {
      logger.warn(
        { file, error },
        'could not read the file of master keys again, and going on with the keys it had; correct the file',
      );
    }
    return last;
  };
  const first = async (): Promise<MasterKey> => (await keys())[0] ?? missing(file);
  return {
    current: async () => (await first()).name,
    wrap: async (dataKey, context) => {
      const { name, bytes } = await first();
      return { by: name, text: sealBytes(dataKey, bytes, context).toString('base64url') };
    },
    unwrap: async ({ by, text }, context) => {
      const key = (await keys()).find(({ name }) => name === by);
      if (key === undefined) throw new MasterKeyMissingError(by);
      return openBytes(Buffer.from(text, 'base64url'), key.bytes, context);
    },
  };
}

/** @throws FileInvalidError where more than the owner and a group can read the file. */
async function checkMode(file: string): Promise<void> {
  const { mode } = await stat(file).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw invalid(file, {
      message: `the file cannot be read (${code}); check its path and permissions`,
    });
  });
  if ((mode & 0o027) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const message = `the file has the mode ${shown}, so that others can read or change it; give it the mode 0400, or 0440 for a group`;
  throw invalid(file, { message });
}

/** @throws FileInvalidError that names every line that is no key, and shows none. */
function parseKeys(written: WrittenText, file: string): MasterKey[] {
  if ('fault' in written)
    throw invalid(file, { message: `the file ${written.fault}; save it as UTF-8` });
  const { text } = written;
  const faults: TextFault[] = [];
  const keys: MasterKey[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const entry = raw.trim();
    if (entry === '') continue;
    const bytes = Buffer.from(entry, 'base64');
    const line = index + 1;
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== entry) {
      const message = `the line is not ${KEY_BYTES} bytes in base64; make a key with: openssl rand -base64 ${KEY_BYTES}`;
      faults.push({ line, message });
      continue;
    }
    const name = nameOf(bytes);
    if (keys.some((key) => key.name === name)) {
      faults.push({ line, message: 'the line has a key that is there already; remove it' });
    }
    keys.push({ name, bytes });
  }
  if (faults.length > 0) throw invalid(file, ...faults);
  return keys.length > 0 ? keys : missing(file);
}

/** The name of a key: nothing of the key can be learned from it. */
function nameOf(bytes: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('turnpike master key\0'), bytes]), 'hex').slice(
    0,
    16,
  );
}

function missing(file: string): never {
  throw invalid(file, {
    message: `the file has no key; make one with: openssl rand -base64 ${KEY_BYTES}`,
  });
}

function invalid(file: string, ...faults: TextFault[]): FileInvalidError {
  return new FileInvalidError(variable, file, faults);
}
