import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect } from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, outputsOf, resultsOf } from '../../support/agent-sdk/read-query.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const call = (tool: string, input: object): string => `[[tool=${tool} ${JSON.stringify(input)}]]`;

describe('a query with rules about paths, subagents and files of the project', () => {
  const server = useServer({
    environment: { TURNPIKE_PROJECT_FILES: 'sessions', TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const run = (prompt: string, options: object) =>
    collect(sdk.query({ prompt, options: { cwd: server.projectRoot, ...options } }));

  it('has rules with the anchors that they have there', async () => {
    const write = (file: string): string => call('write', { file_path: file, content: 'x' });
    const options = { allowedTools: ['Edit(/src/**)'], disallowedTools: ['Edit(locked.txt)'] };
    const wrote = await run(write('src/a.txt'), options);
    expect(resultsOf(wrote)).toMatchObject([{ subtype: 'success', permission_denials: [] }]);
    for (const file of ['a.txt', 'src/deep/locked.txt', '/src/a.txt']) {
      const [result] = resultsOf(await run(write(file), options));
      expect([file, result?.permission_denials.length]).toEqual([file, 1]);
    }
  });

  it('delegates to its subagents, by the names that they have there', async () => {
    const agents = {
      'note-taker': {
        description: 'Notes.',
        prompt: 'MARK-agent: you note.',
        tools: ['Read'],
        model: 'haiku',
      },
    };
    const messages = await run(call('task', { agent: 'note-taker', prompt: 'Note it.' }), {
      agents,
    });
    expect(messages[0]).toMatchObject({ subtype: 'init', agents: ['note-taker'] });
    expect(outputsOf(messages).at(-1)).not.toContain('There is no');
    const asked = server.modelRequests.find(({ body }) =>
      JSON.stringify(body).includes('MARK-agent'),
    );
    expect(asked?.body.model).toBe('claude-haiku-5-5');
    expect(asked?.body.tools?.map(({ name }) => name)).toEqual(['read']);
  });

  it('takes the files of its project, where the server lets sessions take them', async () => {
    const cwd = newFolder();
    mkdirSync(path.join(cwd, '.claude'));
    writeFileSync(path.join(cwd, 'CLAUDE.md'), 'MARK-instructions');
    writeFileSync(
      path.join(cwd, '.claude/settings.json'),
      JSON.stringify({ permissions: { deny: ['Read(.env)'] } }),
    );
    const settingSources = ['project'] as const;
    const messages = await run(call('read', { file_path: '.env' }), { cwd, settingSources });
    expect(JSON.stringify(server.modelRequests.at(-1))).toContain('MARK-instructions');
    expect(resultsOf(messages)[0]?.permission_denials).toHaveLength(1);
    const [{ session_id: resume } = { session_id: '' }] = messages;
    const again = await run('And now?', { cwd, settingSources, resume });
    expect(resultsOf(again)).toMatchObject([{ subtype: 'success', session_id: resume }]);
  });

  it('is refused with a sentence where it does not', async () => {
    const plain = await startServer();
    try {
      const { query } = connect(new TurnpikeClient({ url: plain.url }));
      const running = collect(
        query({ prompt: 'Hi', options: { cwd: plain.projectRoot, settingSources: ['project'] } }),
      );
      await expect(running).rejects.toThrow('TURNPIKE_PROJECT_FILES');
    } finally {
      await plain.close();
    }
  });
});
