import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, query, UnsupportedError, useConnection } from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, kindsOf } from '../../support/agent-sdk/read-query.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

describe('what a query does not honour', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  afterEach(() => useConnection(undefined));

  it.each<[string, object]>([
    ['additionalDirectories', { additionalDirectories: ['/a'] }],
    ['agents.a.hooks', { agents: { a: { description: 'A.', prompt: 'You.', hooks: {} } } }],
    ['betas', { betas: [] }],
    ['enableFileCheckpointing', { enableFileCheckpointing: true }],
    ['maxThinkingTokens', { maxThinkingTokens: 1 }],
    ['onElicitation', { onElicitation: () => undefined }],
    ['plugins', { plugins: [] }],
    ['sandbox', { sandbox: {} }],
    ['permisionMode', { permisionMode: 'plan' }],
    ['permissionMode "auto"', { permissionMode: 'auto' }],
    ['permissionMode bypassPermissions', { permissionMode: 'bypassPermissions' }],
    ['settingSources', { settingSources: ['everything'] }],
    ['settings.env', { settings: { env: {} } }],
    ['hooks.PreCompact', { hooks: { PreCompact: [] } }],
    ['NotebookEdit', { tools: ['NotebookEdit'] }],
    ['allowedTools "Edit(~/x)"', { allowedTools: ['Edit(~/x)'] }],
    ['disallowedTools "Edit(../x)"', { disallowedTools: ['Edit(../x)'] }],
    ['agents.a.tools', { agents: { a: { description: 'A.', prompt: 'P.', tools: ['Bash(ls)'] } } }],
    ['thinking.budgetTokens', { thinking: { type: 'enabled', budgetTokens: 1000 } }],
    ['forkSession by itself', { forkSession: true }],
    ['sessionId beside resume', { sessionId: 'a', resume: 'b' }],
  ])('is refused by name: %s', async (name, options) => {
    const before = server.modelRequests.length;
    const running = async () => collect(sdk.query({ prompt: 'Hello', options }));
    const thrown = await running().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UnsupportedError);
    expect(String(thrown)).toContain(name);
    expect(server.modelRequests).toHaveLength(before);
  });

  it('is refused by name: methods of a query', async () => {
    const running = sdk.query({ prompt: 'Hello', options: { cwd: server.projectRoot } });
    await expect(running.rewindFiles()).rejects.toThrow('rewindFiles()');
    await expect(running.supportedModels()).rejects.toThrow('client.models');
    await collect(running);
  });

  it('is told once of options for a child process', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    for (let count = 0; count < 2; count += 1) {
      await collect(
        sdk.query({
          prompt: 'Hello',
          options: { cwd: server.projectRoot, env: {}, executable: 'bun', strictMcpConfig: true },
        }),
      );
    }
    process.off('warning', onWarning);
    expect(warnings).toEqual([expect.stringContaining('env, executable')]);
  });

  it('runs with the server that was set, without which it says what to set', async () => {
    useConnection(new TurnpikeClient({ url: server.url }));
    const messages = await collect(
      query({ prompt: 'Hello', options: { cwd: server.projectRoot } }),
    );
    expect(kindsOf(messages).at(-1)).toBe('result/success');
    useConnection(undefined);
    const { TURNPIKE_URL: url } = process.env;
    delete process.env['TURNPIKE_URL'];
    try {
      expect(() => query({ prompt: 'Hello' })).toThrow('TURNPIKE_URL');
      process.env['TURNPIKE_URL'] = server.url;
      const more = await collect(query({ prompt: 'Hello', options: { cwd: server.projectRoot } }));
      expect(kindsOf(more).at(-1)).toBe('result/success');
    } finally {
      if (url === undefined) delete process.env['TURNPIKE_URL'];
      else process.env['TURNPIKE_URL'] = url;
    }
  });

  it('runs with the mode that bypasses questions, where that is confirmed', async () => {
    const messages = await collect(
      sdk.query({
        prompt: '[[tool=bash {"command":"echo bypassed"}]]',
        options: {
          cwd: server.projectRoot,
          permissionMode: 'bypassPermissions',
          allowDangerouslySkipPermissions: true,
        },
      }),
    );
    expect(JSON.stringify(messages)).toContain('bypassed');
    expect(messages[0]).toMatchObject({ permissionMode: 'bypassPermissions' });
  });

  it('is a mode that bypasses questions on a server without a sandbox, but for queries without commands', async () => {
    // The program of the sandbox is not found.
    process.env['PATH'] = newFolder();
    const open = await startServer({ environment: { TURNPIKE_ALLOW_UNSANDBOXED_BASH: 'true' } });
    try {
      const client = connect(new TurnpikeClient({ url: open.url }));
      const options = {
        cwd: open.projectRoot,
        permissionMode: 'bypassPermissions' as const,
        allowDangerouslySkipPermissions: true,
      };
      const running = collect(client.query({ prompt: 'Hello', options }));
      await expect(running).rejects.toThrow(/without a sandbox.*allowedTools/);
      const tools = ['Write'];
      const messages = await collect(
        client.query({ prompt: 'Hello', options: { ...options, tools } }),
      );
      expect(kindsOf(messages).at(-1)).toBe('result/success');
    } finally {
      await open.close();
    }
  });
});
