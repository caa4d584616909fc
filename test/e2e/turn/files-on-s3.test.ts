import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient, TurnpikeError } from '../../../src/client/turnpike-client.js';
import { startS3, type TestS3 } from '../../support/files/start-s3.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

describe('files in a bucket', () => {
  const folder = newFolder();
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await startS3(folder);
  });
  afterAll(() => s3.close());
  const server = useServer(async () => ({ environment: s3.environment }));

  it('are read by turns and readers; a bucket that is gone costs only turns that need a file', async () => {
    const client = new TurnpikeClient({ url: server.url });
    const { sessionId } = await client.sessions.create({ projectRoot: server.projectRoot });
    const content = Buffer.alloc(300_000, 'One, two. ');
    const file = await client.uploads.send({ name: 'count.txt', content });
    const first = await client.turn({ sessionId, message: 'Read it.', attachments: [file] });
    expect((await first.result()).text).toContain('Attachments: 1 (document)');
    const loaded = await client.uploads.load(file.id);
    expect(Buffer.from(await loaded.arrayBuffer()).equals(content)).toBe(true);

    const second = await client.uploads.send({ name: 'two.txt', content: Buffer.from('Two.') });
    await s3.close();
    const refused: unknown = await client.uploads
      .send({ name: 'three.txt', content: Buffer.from('Three.') })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TurnpikeError);
    expect(refused).toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503, retryable: true });
    const asked = { sessionId, message: 'Read it.', attachments: [second] };
    const failed = await (await client.turn(asked)).result();
    expect(failed).toMatchObject({
      outcome: 'failed',
      error: { errorType: 'STORAGE_UNAVAILABLE', retryable: true },
    });
    const other = await client.sessions.create({ projectRoot: server.projectRoot });
    const without = { sessionId: other.sessionId, message: 'Hello.' };
    expect(await (await client.turn(without)).result()).toMatchObject({ outcome: 'completed' });

    s3 = await startS3(folder, Number(new URL(s3.settings.s3Url).port));
    const after = await (await client.turn({ sessionId, message: 'Go on.' })).result();
    expect(after).toMatchObject({ outcome: 'completed' });
  });
});
