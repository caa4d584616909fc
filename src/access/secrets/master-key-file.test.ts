import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  masterKeyFile,
  newMasterKey,
  openMasterKeys,
} from '../../../test/support/access/master-keys.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { newFolder } from '../../../test/support/suite.js';
import { createLogger } from '../../platform/logger.js';
import { FileInvalidError } from '../../platform/parsing/load-file.js';
import { MasterKeyMissingError, openMasterKeyFile } from './master-key-file.js';

const [a, b] = [newMasterKey(), newMasterKey()];
const dataKey = Buffer.alloc(32, 7);

describe('the file of master keys', () => {
  it('wraps with its first key, and unwraps with all', async () => {
    const [old, both] = [await openMasterKeys(a), await openMasterKeys(b, a)];
    const wrapped = await old.wrap(dataKey, 'alice');
    expect(wrapped.by).toBe(await old.current());
    expect(wrapped.text).not.toContain(dataKey.toString('base64url'));
    expect(await both.unwrap(wrapped, 'alice')).toEqual(dataKey);
    const anew = await both.wrap(dataKey, 'alice');
    expect(anew.by).not.toBe(wrapped.by);
    await expect(old.unwrap(anew, 'alice')).rejects.toThrow(MasterKeyMissingError);
  });

  it('unwraps nothing of another context, and nothing that was changed', async () => {
    const keys = await openMasterKeys(a);
    const { by, text } = await keys.wrap(dataKey, 'alice');
    await expect(keys.unwrap({ by, text }, 'bob')).rejects.toThrow();
    const changed = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    for (const bad of [changed, text.slice(0, -4), '', 'AAAA']) {
      await expect(keys.unwrap({ by, text: bad }, 'alice')).rejects.toThrow();
    }
  });

  it('gives its keys names that have nothing of them', async () => {
    const name = await (await openMasterKeys(a)).current();
    expect(name).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(a, 'base64').toString('hex')).not.toContain(name);
  });

  it.each([
    ['none', '\n\n', /has no key; make one with: openssl rand -base64 32/],
    ['one that is cut short', `${a}\n${b.slice(0, 20)}`, /:2: the line is not 32 bytes in base64/],
    ['one that is too long', `${a}${b}`, /:1: the line is not 32 bytes/],
    ['one in hex', Buffer.from(a, 'base64').toString('hex'), /:1: the line is not 32 bytes/],
    ['one twice', `${a}\n${b}\n${a}\n`, /:3: the line has a key that is there already/],
  ])('is refused with %s as a key, which the message does not show', async (_what, text, says) => {
    const file = masterKeyFile([]);
    await writeFile(file, text);
    const refused = openMasterKeyFile(file, silentLogger);
    await expect(refused).rejects.toThrow(FileInvalidError);
    await expect(refused).rejects.toThrow(says);
    await expect(refused).rejects.not.toThrow(a.slice(0, 10));
  });

  it('is taken with blank lines and the line ends of Windows', async () => {
    const file = masterKeyFile([]);
    await writeFile(file, `\r\n${a}\r\n\r\n${b}`);
    const keys = await openMasterKeyFile(file, silentLogger);
    expect(await keys.current()).toBe(await (await openMasterKeys(a)).current());
  });

  it.each([0o604, 0o620, 0o644, 0o666, 0o444])('is refused with the mode %i', async (mode) => {
    const file = masterKeyFile([a]);
    await chmod(file, mode);
    await expect(openMasterKeyFile(file, silentLogger)).rejects.toThrow(
      `the file has the mode ${mode.toString(8).padStart(4, '0')}, so that others can read or change it; give it the mode 0400, or 0440 for a group`,
    );
  });

  it.each([0o400, 0o440, 0o600, 0o640])('is taken with the mode %i', async (mode) => {
    const file = masterKeyFile([a]);
    await chmod(file, mode);
    await expect(openMasterKeyFile(file, silentLogger)).resolves.toBeDefined();
  });

  it('is refused where there is none', async () => {
    const none = path.join(newFolder(), 'none');
    await expect(openMasterKeyFile(none, silentLogger)).rejects.toThrow(
      /cannot be read \(ENOENT\)/,
    );
  });
});

describe('an edit of the file of master keys', () => {
  let file: string;
  beforeEach(() => {
    file = masterKeyFile([a]);
  });

  it('takes effect with the next data key', async () => {
    const keys = await openMasterKeyFile(file, silentLogger);
    const before = await keys.wrap(dataKey, 'alice');
    masterKeyFile([b, a], file);
    const after = await keys.wrap(dataKey, 'alice');
    expect(after.by).not.toBe(before.by);
    expect(await keys.unwrap(before, 'alice')).toEqual(dataKey);
  });

  it('that is not valid leaves the keys before it, and is logged without them', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: 'warn',
      readable: false,
      redact: (line) => line,
      destination: { write: (line) => lines.push(line) },
    });
    const keys = await openMasterKeyFile(file, logger);
    const wrapped = await keys.wrap(dataKey, 'alice');
    masterKeyFile([b.slice(0, 10)], file);
    expect(await keys.unwrap(wrapped, 'alice')).toEqual(dataKey);
    expect(lines.join('')).toContain('going on with the keys it had');
    expect(lines.join('')).not.toContain(b.slice(0, 10));
  });
});
