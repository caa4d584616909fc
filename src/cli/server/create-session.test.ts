import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../client/turnpike-client.js';
import { createSession, type WantedSession } from './create-session.js';

const own = '/srv/projects/alice';

/** Creates a session where the key may work in `own` alone. */
async function create(wanted: WantedSession, isWholeConflict = true) {
  const asked: unknown[] = [];
  const said: string[] = [];
  const client = new TurnpikeClient({
    url: 'http://turnpike.test',
    fetch: async (_, init) => {
      const body = JSON.parse(init?.body as string) as { projectRoot?: string };
      asked.push(body);
      const { projectRoot = own } = body;
      if (projectRoot.startsWith(own)) {
        return Response.json({ session: { sessionId: 's', projectRoot } });
      }
      const details = isWholeConflict ? { openRoots: [own] } : {};
      const error = { type: 'WORKING_ROOT_CONFLICT', message: 'It is not open.', details };
      return Response.json({ error }, { status: 409 });
    },
  });
  const created = createSession(client, wanted, (line) => void said.push(line));
  return { created, asked, said };
}

describe('a new session of the command line', () => {
  it('works in the current folder, or in the one that is named', async () => {
    const here = await create({ folder: own, agent: 'READER' });
    await expect(here.created).resolves.toBe('s');
    expect(here.asked).toEqual([{ projectRoot: own, persona: 'READER' }]);
    const named = await create({ folder: own, project: 'site' });
    await expect(named.created).resolves.toBe('s');
    expect(named.asked).toEqual([{ projectRoot: `${own}/site` }]);
    expect([...here.said, ...named.said]).toEqual([]);
  });

  it('works in the folder of the key where the current one is closed to it, and says so', async () => {
    const { created, asked, said } = await create({ folder: '/home/alice' });
    await expect(created).resolves.toBe('s');
    expect(asked).toEqual([{ projectRoot: '/home/alice' }, {}]);
    expect(said).toEqual([
      '/home/alice is not open to your key: this session works in /srv/projects/alice.',
    ]);
  });

  it('is refused in a folder that was named, and in one that is open to nobody', async () => {
    const named = await create({ folder: own, project: '/etc' });
    await expect(named.created).rejects.toThrow('It is not open.');
    const unopened = await create({ folder: '/proc' }, false);
    await expect(unopened.created).rejects.toThrow('It is not open.');
    expect([named.asked, unopened.asked]).toEqual([
      [{ projectRoot: '/etc' }],
      [{ projectRoot: '/proc' }],
    ]);
  });
});
