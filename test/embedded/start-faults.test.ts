import { chmod, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../src/cli/program.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { newDataFolder } from '../support/database/database-folder.js';
import { serverProgram } from '../support/processes/built-programs.js';
import { runProgram } from '../support/processes/run-program.js';
import { newFolder } from '../support/suite.js';

const isLong = process.env['TEST_RELEASE'] !== undefined;
/** Rounds in which as many processes start at once as a group has faults. */
const ROUNDS = isLong ? 9 : 1;

interface Fault {
  what: string;
  environment: (folder: string) => Record<string, string>;
  /** What people read, whatever else the start has under way. */
  says: RegExp;
}

const inFile = (what: string, variable: string, file: string, says: RegExp): Fault => ({
  what,
  environment: (folder) => ({ [variable]: path.join(folder, file) }),
  says,
});

/** One of each kind of error that ends a start. */
const ofEachKind: readonly Fault[] = [
  inFile('an agent', 'TURNPIKE_INSTRUCTION_ROOT', 'root', /agents\/AGENT_ODD\.md:2: permissions/),
  inFile('an MCP server', 'TURNPIKE_MCP_FILE', 'mcp.json', /mcp\.json:1: mcpServers\.s\.argz/),
  inFile(
    'TypeScript',
    'TURNPIKE_EXTENSIONS',
    'e.ts',
    /e\.ts:1:1: Node runs TypeScript with types alone \(.*enum.*compile it/,
  ),
  inFile(
    'approvers that nobody can be',
    'TURNPIKE_PERMISSIONS_FILE',
    'approvers.yaml',
    /the approver role release, which nobody can have here, in TURNPIKE_PERMISSIONS_FILE/,
  ),
  {
    what: 'a bucket that does not answer',
    environment: () => ({
      TURNPIKE_S3_URL: 'http://127.0.0.1:9/files',
      TURNPIKE_S3_ACCESS_KEY_ID: 'a',
      TURNPIKE_S3_SECRET_ACCESS_KEY: 'b',
    }),
    says: /TURNPIKE_S3_URL names 127\.0\.0\.1:9, which cannot be used/,
  },
];

/** Of the same kinds. Unit tests beside what throws them show what they say. */
const others: readonly Fault[] = [
  inFile(
    'permissions',
    'TURNPIKE_PERMISSIONS_FILE',
    'p.yaml',
    /p\.yaml:1: allow\.0 names the tool/,
  ),
  inFile('a missing file', 'TURNPIKE_MCP_FILE', 'none.json', /none\.json.*(does not exist|ENOENT)/),
  inFile('models', 'TURNPIKE_MODELS', 'models.json', /models\.json:1: .*it is no JSON/),
  inFile('an extension', 'TURNPIKE_EXTENSIONS', 'e.mjs', /e\.mjs: its default export must be a/),
  inFile(
    'no extension',
    'TURNPIKE_EXTENSIONS',
    'none.mjs',
    /there is no file .*none\.mjs\. Correct/,
  ),
  inFile(
    'a master key',
    'TURNPIKE_MASTER_KEY_FILE',
    'keys',
    /keys:2: the line is not 32 bytes in base64/,
  ),
  inFile(
    'a file of master keys that others can read',
    'TURNPIKE_MASTER_KEY_FILE',
    'open-keys',
    /open-keys: the file has the mode 0644, so that others can read or change it/,
  ),
  inFile('no root', 'TURNPIKE_INSTRUCTION_ROOT', 'none', /there is no such folder/),
  {
    what: 'a host without an address',
    environment: () => ({ TURNPIKE_HOST: 'nope.invalid' }),
    says: /TURNPIKE_HOST is .*nope\.invalid.*, a name that has no address/,
  },
  {
    what: 'an address of another machine',
    environment: () => ({ TURNPIKE_HOST: '192.0.2.1', TURNPIKE_ALLOW_KEYLESS: 'true' }),
    says: /TURNPIKE_HOST is .*192\.0\.2\.1.*, which is no address of this machine/,
  },
];

const groups = isLong ? [ofEachKind, others.slice(0, 5), others.slice(5)] : [ofEachKind];

describe('a start that fails', () => {
  const folder = newFolder();
  const root = instructionRootWith({ ODD: ['permissions: 7'] });
  beforeAll(async () => {
    const written: Record<string, string> = {
      'p.yaml': 'allow: [wread]\n',
      'approvers.yaml': 'ask: [{ rule: write, by: [release] }]\n',
      'auth.yaml':
        "issuers: [{ name: app, issuer_url: 'https://login.example/', audiences: [a], roles: [{ group: '*' }] }]\n",
      'mcp.json': '{"mcpServers":{"s":{"command":"node","argz":[]}}}',
      'models.json': '{"models":',
      'e.mjs': 'export default 5;\n',
      'e.ts': 'enum Kind { Tool }\nexport default (turnpike: unknown) => turnpike;\n',
    };
    for (const [name, text] of Object.entries(written)) {
      await writeFile(path.join(folder, name), text);
    }
    const masterKey = Buffer.alloc(32).toString('base64');
    await writeFile(path.join(folder, 'keys'), `${masterKey}\n${masterKey.slice(1)}\n`, {
      mode: 0o600,
    });
    await writeFile(path.join(folder, 'open-keys'), masterKey);
    await chmod(path.join(folder, 'open-keys'), 0o644);
    await rename(root, path.join(folder, 'root'));
  });

  /** @returns the lines of standard error. */
  async function failed(environment: Record<string, string>, dataDir: string): Promise<string[]> {
    const given = { TURNPIKE_PORT: '0', TURNPIKE_DATA_DIR: dataDir, ...environment };
    const { code, stderr } = await runProgram(serverProgram, [], given);
    expect(code).toBe(1);
    return stderr.trimEnd().split('\n');
  }

  it('says which key makes page tokens for people whom an issuer knows, then that the port is taken', async () => {
    const dataDir = await newDataFolder();
    const onData = (args: readonly string[]): Promise<number> =>
      runCommand(args, {
        environment: { TURNPIKE_DATA_DIR: dataDir },
        out: () => undefined,
        err: () => undefined,
        exitCode: 0,
      });
    const key = ['--principal', 'backend', '--scopes', 'turns,tokens', '--mints', 'app:*'];
    expect(await onData(['keys', 'create', ...key])).toBe(0);
    const environment = { TURNPIKE_AUTH_FILE: path.join(folder, 'auth.yaml') };
    const [line = '', ...more] = await failed(environment, dataDir);
    expect(more).toEqual([]);
    const [, command = ''] =
      /knows by that name.*: (?:\.\/)?turnpike (keys revoke \w+)/.exec(line) ?? [];
    expect(await onData(command.split(' '))).toBe(0);
    // The next fault is that of the port.
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    // A start that takes its time logs that it has loaded the models.
    const quiet = { ...environment, TURNPIKE_LOG_LEVEL: 'error' };
    const next = await failed({ ...quiet, TURNPIKE_PORT: String(port) }, dataDir);
    expect(next).toEqual([expect.stringContaining(`Port ${port} is in use.`)]);
    taken.close();
  });

  it.each(groups.map((faults) => ({ faults, whats: faults.map(({ what }) => what).join(', ') })))(
    `says what is at fault, and nothing else, in starts that take the processor from each other, ${ROUNDS} of each: $whats`,
    async ({ faults }) => {
      const starts = await Promise.all(
        faults.map(async (fault) => ({ fault, dataDir: await newDataFolder() })),
      );
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(
          starts.map(async ({ fault: { what, environment, says }, dataDir }) => {
            const lines = await failed(environment(folder), dataDir);
            expect([what, lines]).toEqual([what, [expect.stringMatching(says)]]);
          }),
        );
      }
    },
  );
});
