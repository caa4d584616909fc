import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient, TurnpikeError } from '../../../src/client/turnpike-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { FaultyStore } from '../../support/files/faulty-store.js';
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

describe('a bucket on a bad day', () => {
  const store = new FaultyStore();
  afterEach(() => void (store.fault = () => false));
  afterAll(() => store.close());
  const server = useServer(async () => ({
    environment: {
      TURNPIKE_S3_URL: await store.start(),
      TURNPIKE_S3_ACCESS_KEY_ID: 'a',
      TURNPIKE_S3_SECRET_ACCESS_KEY: 'b',
    },
  }));
  const content = Buffer.alloc(900_000, 'One, two. ');
  const send = () =>
    new TurnpikeClient({ url: server.url }).uploads.send({ name: 'count.txt', content });
  const load = (id: string, requestId: string) =>
    fetch(`${server.url}/api/harness/attachments/${id}`, {
      headers: { 'x-request-id': requestId },
    });
  const requestLine = async (id: string): Promise<unknown> => {
    const ofRequest = () =>
      server.logLines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg, requestId }) => msg === 'request' && requestId === id);
    await expectSoon(() => expect(ofRequest()).toHaveLength(1));
    return ofRequest()[0];
  };

  it('gives turns and readers the files of a store that says no lengths', async () => {
    const client = new TurnpikeClient({ url: server.url });
    const file = await send();
    store.fault = ({ method }, response) => {
      response.flushHeaders();
      return Boolean(response.end(method === 'HEAD' ? '' : content));
    };
    expect(Buffer.from(await (await load(file.id, 'whole')).arrayBuffer()).equals(content)).toBe(
      true,
    );
    const { sessionId } = await client.sessions.create({ projectRoot: server.projectRoot });
    const turn = await client.turn({ sessionId, message: 'Read it.', attachments: [file] });
    expect((await turn.result()).text).toContain('Attachments: 1 (document)');
  });

  it('answers 503 before the first byte, breaks off after it, and says that the server did', async () => {
    const file = await send();
    const answers = ({ method }: { method?: string | undefined }): boolean => method !== 'GET';
    store.fault = (request) => !answers(request) && Boolean(request.socket.destroy());
    const refused = await load(file.id, 'refused');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ error: { type: 'STORAGE_UNAVAILABLE' } });
    expect(await requestLine('refused')).toMatchObject({ status: 503, level: 'error' });

    let hasBegun = false;
    store.fault = (request, response) => {
      if (answers(request)) return false;
      if (hasBegun) return Boolean(request.socket.destroy());
      hasBegun = true;
      response.write(content.subarray(0, 600_000), () => request.socket.destroy());
      return true;
    };
    const broken = await load(file.id, 'broken');
    expect(broken.status).toBe(200);
    await expect(broken.arrayBuffer()).rejects.toThrow('terminated');
    expect(await requestLine('broken')).toMatchObject({
      status: 200,
      closedBy: 'error',
      level: 'error',
    });
    const said = server.logLines.filter((line) => line.includes('the store of files failed'));
    expect(said.length).toBeGreaterThanOrEqual(2);
    for (const line of said) expect(line).toMatch(/no answer to GET \(.*\)/);
  });

  it('has the words of the store in the log where it refuses', async () => {
    store.fault = ({ method }, response) =>
      method === 'PUT' &&
      Boolean(
        response
          .writeHead(403, { 'x-amz-request-id': '4F' })
          .end('<Error><Code>ExpiredToken</Code></Error>'),
      );
    await expect(send()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 });
    expect(server.logLines.join('')).toContain(
      'the bucket answered PUT with 403 ExpiredToken (request id 4F)',
    );
  });
});
