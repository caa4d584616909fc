import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openMasterKeyFile, type MasterKeys } from '../../../src/access/secrets/master-key-file.js';
import { silentLogger } from '../silent-logger.js';
import { newFolder } from '../suite.js';

/** A line of a file of master keys. */
export function newMasterKey(): string {
  return randomBytes(32).toString('base64');
}

/** Writes a file of master keys that its owner alone can read. @param file default: a new one. */
export function masterKeyFile(
  keys: readonly string[],
  file = path.join(newFolder(), 'master-keys'),
): string {
  writeFileSync(file, keys.map((key) => `${key}\n`).join(''), { mode: 0o600 });
  return file;
}

export async function openMasterKeys(...keys: string[]): Promise<MasterKeys> {
  return openMasterKeyFile(masterKeyFile(keys), silentLogger);
}
