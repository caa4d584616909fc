import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadMcpFile } from './mcp-file.js';
import { newFolder } from '../../../test/support/suite.js';

const environment = { TOKEN: 'tok-0123456789', TURNPIKE_SECRET: 'ours-0123456789' };

async function load(content: unknown): Promise<unknown> {
  const file = path.join(newFolder(), 'mcp.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return loadMcpFile(file, environment);
}

describe('loadMcpFile', () => {
  it('puts variables in their places', async () => {
    const headers = { Authorization: 'Bearer ${TOKEN}' };
    const mcpServers = { a: { url: 'https://example.com', headers }, b: { command: 'b' } };
    await expect(load({ mcpServers, other: 1 })).resolves.toMatchObject({
      a: { headers: { Authorization: 'Bearer tok-0123456789' } },
      b: { kind: 'stdio' },
    });
  });

  it('takes paths that begin with a dot from the folder of the file', async () => {
    const file = path.join(newFolder(), 'mcp.json');
    const own = { command: './server.mjs', cwd: '../work', args: ['./as-given'] };
    await writeFile(file, JSON.stringify({ mcpServers: { own, npx: { command: 'npx' } } }));
    const folder = path.dirname(file);
    expect(await loadMcpFile(file, environment)).toMatchObject({
      own: {
        command: path.join(folder, 'server.mjs'),
        cwd: path.join(folder, '../work'),
        args: ['./as-given'],
      },
      npx: { command: 'npx' },
    });
  });

  it('says that the file does not exist', async () => {
    const none = path.join(newFolder(), 'none.json');
    await expect(loadMcpFile(none, environment)).rejects.toThrow(
      /TURNPIKE_MCP_FILE[^]*none\.json.*ENOENT/,
    );
  });

  it.each([
    ['no JSON', '{"mcpServers": tok', 'it is no JSON'],
    ['a list', [], 'the file must be of the form {"mcpServers": '],
    ['no servers', {}, 'mcpServers is required'],
    ['a wrong field', { mcpServers: { a: { command: 1 } } }, 'a.command must be text'],
    [
      'a variable that is not set',
      { mcpServers: { a: { command: '${NONE}' } } },
      'a.command names ${NONE}',
    ],
    [
      'a key of ours',
      { mcpServers: { a: { command: 'x', env: { A: '${TURNPIKE_SECRET}' } } } },
      'a.env.A names ${TURNPIKE_SECRET}',
    ],
  ])('refuses %s, by file and field', async (_what, content, problem) => {
    const failed: unknown = await load(content).catch((error: unknown) => error);
    const message = failed instanceof Error ? failed.message : '';
    expect(message).toMatch(/^TURNPIKE_MCP_FILE is not valid:\n {2}- .*mcp\.json:1: /);
    expect(message).toContain(problem);
    expect(message).not.toContain('0123456789');
  });

  it('lists all faults at once, once a field', async () => {
    const mcpServers = { a: { url: 'https://${NONE}' }, b: { command: 1 }, c: { url: '${NONE}' } };
    const failed: unknown = await load({ mcpServers }).catch((error: unknown) => error);
    expect(String(failed).match(/mcpServers\.\S+ \S+/g)).toEqual([
      'mcpServers.a.url names',
      'mcpServers.c.url names',
      'mcpServers.b.command must',
    ]);
  });

  it('says that a file is not there', async () => {
    await expect(loadMcpFile('/no/such/file', {})).rejects.toThrow('cannot be read (ENOENT)');
  });
});
