import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readTool } from '../../tools/builtin/file-tools.js';
import { digestOf, openTools, ToolRegistry, type CallableTool } from '../../tools/registry.js';
import { openClientTools } from '../attempt/own-sources.js';
import { decideCall, findTool } from './judge-open-call.js';
import { newFolder } from '../../../test/support/suite.js';

describe('decideCall', () => {
  let folder: string;
  let root: string;
  beforeEach(async () => {
    folder = newFolder();
    root = path.join(folder, 'ann');
    await mkdir(root);
    await mkdir(path.join(folder, 'bob'));
    await writeFile(path.join(folder, 'bob', 'a.txt'), 'secret');
  });

  const unused = () => Promise.reject(new Error('not called'));
  const decide = (others: string[] | undefined) => {
    const ownPaths = { closed: [], hidden: others ?? [], protected: [] };
    const layers = [{ mode: 'direct', named: [], agent: {} }];
    const permissions = { layers, server: {}, session: {}, grants: [] };
    const tool: CallableTool = {
      ...readTool,
      checkInput: () => ({ ok: true, input: {} }),
      run: unused,
    };
    const rules = {
      ...permissions,
      root: { spellings: [], real: root, projectRoot: root, ownPaths, others },
    };
    return decideCall(rules, tool, { file_path: 'a.txt' });
  };

  it('denies what the root has come to lead to, where others have folders', async () => {
    expect((await decide([folder])).verdict).toBe('allow');
    await rename(root, path.join(folder, 'was'));
    await symlink('bob', root);
    expect(await decide([folder])).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('leads to another folder since the turn began'),
    });
    expect((await decide(undefined)).verdict).toBe('allow');
  });
});

describe('findTool', () => {
  const schema = { type: 'object' } as const;
  const pick = { name: 'pick', description: 'Picks.', inputSchema: schema };
  const traits = { inputSchema: schema, effect: 'read', retry: 'safe' } as const;
  const ours = new ToolRegistry();
  ours.register({ ...pick, ...traits, open: () => ({ run: async () => '' }) }, 'extension');
  const builtin = new ToolRegistry([readTool]);
  const [ofClient] = openClientTools([pick], new Set()).tools;
  const open = (tools: Parameters<typeof openTools>[0]) =>
    openTools(tools, () => {
      throw new Error('Nothing runs');
    });
  const call = (name: string, digest?: string) => ({
    type: 'tool_use' as const,
    id: 'toolu_1',
    name,
    input: {},
    ...(digest === undefined ? {} : { digest }),
  });

  it('knows a tool of the client from one of the server with its name, whichever was called', () => {
    const [clients, servers] = [open(ofClient ? [ofClient] : []), open(ours.list())];
    const asClient = call('pick', digestOf(traits, 'client'));
    const asServer = call('pick', digestOf(traits, 'extension'));
    expect(findTool({ toolset: clients }, asClient)?.name).toBe('pick');
    expect(findTool({ toolset: servers }, asServer)?.name).toBe('pick');
    expect(findTool({ toolset: servers }, asClient)).toBeUndefined();
    expect(findTool({ toolset: clients }, asServer)).toBeUndefined();
  });

  it('takes a tool of the server itself by its name, and calls that were stored without a digest', () => {
    expect(findTool({ toolset: open(builtin.list()) }, call('read'))?.digest).toBeUndefined();
    expect(findTool({ toolset: open(builtin.list()) }, call('read'))?.name).toBe('read');
    expect(findTool({ toolset: open(ours.list()) }, call('pick'))?.name).toBe('pick');
  });

  it('knows a schema by what it says, not by the order of its fields', () => {
    const inputSchema = { type: 'object', properties: {} } as const;
    const same = { ...traits, inputSchema: { properties: {}, type: 'object' } } as const;
    expect(digestOf({ ...traits, inputSchema }, 'client')).toBe(digestOf(same, 'client'));
  });
});
