import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { runCommand } from '../program.js';

async function check(...args: string[]) {
  const written = { out: '', err: '' };
  const cli = {
    environment: { HOME: newFolder() },
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    exitCode: 0,
  };
  await runCommand(['project', 'check', ...args], cli);
  return { ...written, code: cli.exitCode };
}

function projectWith(settings: object): string {
  const folder = newFolder();
  mkdirSync(path.join(folder, '.claude'));
  writeFileSync(path.join(folder, '.claude/settings.json'), JSON.stringify(settings));
  return folder;
}

describe('turnpike project check', () => {
  it('prints a line for each key, and fails where one is refused', async () => {
    const folder = projectWith({ model: 'opus', hooks: {} });
    const { out, err, code } = await check(folder);
    expect(out.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^VERDICT +FILE +KEY +HOW$/),
      expect.stringMatching(
        /^differs +\.claude\/settings\.json +model +the model of a turn is .* name claude-opus-5-5 there$/,
      ),
    ]);
    expect(err).toBe(
      '0 same, 0 mapped, 1 differs, 1 refused.\nNo session takes these files unless the server has TURNPIKE_PROJECT_FILES=claude.\n',
    );
    expect(code).toBe(1);
  });

  it('names the variables that parts of the project need', async () => {
    const folder = projectWith({ permissions: { allow: ['Bash(ls:*)'] } });
    mkdirSync(path.join(folder, '.claude/agents'));
    const agent = '---\nname: rev\ndescription: Reviews.\n---\nYou review.\n';
    writeFileSync(path.join(folder, '.claude/agents/rev.md'), agent);
    const servers = { fs: { command: 'npx' }, web: { type: 'http', url: 'https://mcp.example/' } };
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    const { err } = await check(folder, '--project-only');
    expect(err.trim().split('\n').slice(1)).toEqual([
      expect.stringContaining('TURNPIKE_PROJECT_FILES=claude'),
      expect.stringMatching(/^What allows calls.*TURNPIKE_TRUSTED_PROJECTS/),
      expect.stringContaining('TURNPIKE_ENABLE_SUBAGENTS=true'),
      expect.stringMatching(/TURNPIKE_TRUSTED_PROJECTS.*TURNPIKE_MCP_SESSION_STDIO is true/),
      expect.stringContaining('TURNPIKE_MCP_HOSTS'),
    ]);
  });

  it('prints JSON for programs, and succeeds where nothing is refused', async () => {
    const { out, code } = await check(
      projectWith({ enableAllProjectMcpServers: true }),
      '--json',
      '--project-only',
    );
    expect(JSON.parse(out)).toEqual({
      file: '.claude/settings.json',
      key: 'enableAllProjectMcpServers',
      verdict: 'same',
      how: 'the servers of .mcp.json are used, as far as the operator lets sessions have any',
    });
    expect(code).toBe(0);
  });

  it('says where there is nothing, and where there is no folder', async () => {
    const empty = newFolder();
    expect(await check(empty)).toMatchObject({
      err: `${empty} has no CLAUDE.md, no .claude and no .mcp.json.\n`,
      code: 0,
    });
    expect(await check('/no/such/folder')).toMatchObject({
      err: expect.stringContaining('/no/such/folder is no folder that can be read (ENOENT).'),
    });
  });
});
