import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startTokenIssuer } from '../../../test/support/access/token-issuer.js';
import { newFolder, useShared } from '../../../test/support/suite.js';
import type { Cli } from '../command.js';
import { runCommand } from '../program.js';

describe('turnpike auth check', () => {
  const file = path.join(newFolder(), 'auth.yaml');
  const idp = useShared(async () => {
    const started = await startTokenIssuer();
    const roles = [{ group: 'staff', agents: ['READER'] }];
    const entry = { name: 'idp', issuer_url: started.url, audiences: ['turnpike'], roles };
    await writeFile(file, JSON.stringify({ issuers: [entry] }));
    return started;
  });
  async function run(args: string[], environment: Record<string, string> = {}) {
    let [out, err] = ['', ''];
    const cli: Cli = {
      environment,
      exitCode: 0,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    };
    return { code: await runCommand(['auth', 'check', ...args], cli), out, err };
  }

  it('says who the person is, and what may be done', async () => {
    const token = await idp.sign({ groups: ['staff', 'sales'] });
    const { code, out } = await run([token, '--file', file]);
    expect(code).toBe(0);
    for (const line of [
      'The token is taken.',
      'Issuer: idp',
      'Groups: staff, sales',
      'Roles of: staff',
      'Principal: idp:ann',
      'Agents: READER',
      '  aud: "turnpike"',
    ]) {
      expect(out.split('\n')).toContain(line);
    }
    expect(out).toMatch(/ {2}exp: \d+ \(\d{4}-.*Z\)/);
    expect(out).not.toContain(token.split('.')[1]);
  });

  it('takes the file by its name in the folder of the call', async () => {
    const near = path.relative(process.cwd(), file);
    expect((await run([await idp.sign({ groups: ['staff'] }), '--file', near])).code).toBe(0);
  });

  it('says what is wrong, and fails', async () => {
    const token = await idp.sign({ aud: 'shop' });
    const { code, out } = await run([token], { TURNPIKE_AUTH_FILE: file });
    expect([code, out]).toEqual([1, expect.stringContaining('for another application')]);
    const { out: json } = await run([token, '--json'], { TURNPIKE_AUTH_FILE: file });
    expect(JSON.parse(json)).toMatchObject({ reason: 'WRONG_AUDIENCE', issuer: 'idp' });
  });

  it('needs a file of issuers', async () => {
    const { code, err } = await run(['x']);
    expect([code, err]).toEqual([2, expect.stringContaining('TURNPIKE_AUTH_FILE')]);
  });
});
