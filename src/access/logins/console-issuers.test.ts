import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startTokenIssuer } from '../../../test/support/access/token-issuer.js';
import { newFolder, useShared } from '../../../test/support/suite.js';
import { systemClock } from '../../platform/clock.js';
import { FileInvalidError } from '../../platform/parsing/load-file.js';
import { issuerFetch } from '../tokens/open-verifier.js';
import { openConsoleIssuers } from './console-issuers.js';

describe('the identity providers of the console', () => {
  const idp = useShared(startTokenIssuer);
  const folder = newFolder();
  const open = (clientSecretFile: string, config = { console: true }) => {
    const client = { clientId: 'console', clientAuth: 'basic', scopes: ['openid'] } as const;
    const console = { ...client, clientSecretFile, required: {} };
    const issuers = [idp.entry({ name: 'tokens' }), idp.entry({ console })];
    const options = { fetch: issuerFetch({ authPrivateHosts: [] }), clock: systemClock };
    return openConsoleIssuers(issuers, { role: 'all', ...config }, options);
  };

  it('are those that have a client for it', async () => {
    const file = path.join(folder, 'secret');
    await writeFile(file, 'of the test\n');
    expect((await open(file)).names).toEqual(['idp']);
  });

  it('stop a start where the file of a secret is empty, or cannot be read', async () => {
    const empty = path.join(folder, 'empty');
    await writeFile(empty, ' \n');
    const missing = path.join(folder, 'missing');
    for (const [file, said] of [
      [empty, 'the file is empty'],
      [missing, 'the file cannot be read (ENOENT)'],
    ] as const) {
      const refused = await open(file).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(FileInvalidError);
      expect(String(refused)).toContain(`${file}: ${said}`);
    }
    // A process without the console needs no secret.
    expect((await open(missing, { console: false })).names).toEqual([]);
  });
});
