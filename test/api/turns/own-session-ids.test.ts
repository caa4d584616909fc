import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

describe('a session with an id of its client’s own', () => {
  const server = useServer();
  const create = (sessionId: string | undefined) =>
    server.client.post('/api/harness/session/create', {
      projectRoot: server.projectRoot,
      ...(sessionId === undefined ? {} : { sessionId }),
    });

  it('has it, and no other session gets it', async () => {
    const sessionId = `sess_${randomUUID()}`;
    expect((await create(sessionId)).body).toMatchObject({ session: { sessionId } });
    // Sessions that come in the same moment are stored together: the others are there.
    const again = await Promise.all([create(sessionId), create(undefined), create(undefined)]);
    expect(again.map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(again[0]?.body).toMatchObject({
      error: {
        type: 'INVALID_REQUEST',
        message: `'sessionId' ${sessionId} is taken: send another one, or none`,
      },
    });
  });

  it.each(['mine', 'sess_mine', randomUUID(), `turn_${randomUUID()}`])(
    'is refused for another form: %s',
    async (sessionId) => {
      expect((await create(sessionId)).status).toBe(400);
    },
  );

  it('runs turns with what the application says to the model, in those turns alone', async () => {
    const sessionId = `sess_${randomUUID()}`;
    await create(sessionId);
    const sent = async (more: object): Promise<string> => {
      await (await server.client.turn(sessionId, 'Hello', { ...more })).all();
      return JSON.stringify(server.modelRequests.at(-1)?.body.system);
    };
    expect(await sent({ instructions: 'Answer in verse.' })).toContain('Answer in verse.');
    expect(await sent({})).not.toContain('Answer in verse.');
  });
});
