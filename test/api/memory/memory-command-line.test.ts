import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('memory, from the command line and the typed client', () => {
  const server = useServer();
  const client = useShared(() => new TurnpikeClient({ url: server.url }));

  const turnpike = (...args: string[]): Promise<Ended> =>
    runTurnpike(['memory', ...args], { environment: { TURNPIKE_URL: server.url } });

  it('is written, listed, shown and deleted', async () => {
    expect(await turnpike('list')).toMatchObject({ code: 0, stderr: 'There are none.\n' });
    const path = '/memories/a b.md';
    const made = await client.memory.put('helper', path, {
      content: 'one\u001b[2J',
      version: null,
    });
    await expect(
      client.memory.put('helper', path, { content: 'two', version: made.version + 1 }),
    ).rejects.toMatchObject({ code: 'MEMORY_CHANGED', status: 412 });
    const { version } = made;
    expect(await client.memory.put('helper', path, { content: 'two', version })).toMatchObject({
      bytes: 3,
    });
    await client.memory.put('helper', '/memories/c', { content: 'x\u001b[2Jy', version: null });
    expect((await client.memory.files('helper', { limit: 1 })).nextCursor).toBe(path);

    expect((await turnpike('list')).stdout).toMatch(
      /^AGENT +FILES +BYTES +CHANGED \(UTC\)\nhelper +2 +\d+ +20/,
    );
    expect((await turnpike('list', 'helper')).stdout).toMatch(
      /^PATH .*\n\/memories\/a b\.md +3 +\S+ \S+ {2}by its owner\n/,
    );
    expect(await turnpike('show', 'helper', path)).toMatchObject({ code: 0, stdout: 'two\n' });
    expect((await turnpike('show', 'helper', '/memories/c')).stdout).toBe('xy\n');
    const shown = await turnpike('show', 'helper', path, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ path, content: 'two' });
    await expect(client.memory.delete('helper', path, version)).rejects.toMatchObject({
      code: 'MEMORY_CHANGED',
    });
    const gone = await turnpike('delete', 'helper', path, '--yes', '--json');
    expect(JSON.parse(gone.stdout)).toEqual({ deletedFiles: 1 });
    expect(await turnpike('show', 'helper', path)).toMatchObject({ code: 1 });
    expect((await turnpike('delete', 'helper', '--yes')).stdout).toBe('1 deleted.\n');
    expect(await client.memory.list()).toEqual([]);
  });

  it.each([[['remember']], [['show', 'helper']], [['delete']], [['list', 'a', 'b']], [['--x']]])(
    'refuses the arguments %j',
    async (args) => {
      const { code, stderr } = await turnpike(...args);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/turnpike memory|There is no option/),
      ]);
    },
  );
});
