import { describe, expect, it } from '@jest/globals';
import { signedFetch, type AwsCredentials } from './signed-fetch.js';

const scope = { name: 'bedrock', service: 'bedrock', region: 'eu-west-1' };
const url = 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/a%3A0/invoke';
const temporary: AwsCredentials = {
  accessKeyId: 'AKIA1',
  secretAccessKey: 'secret',
  sessionToken: 'first',
};
const expired = (): Response =>
  new Response('{"message":"The security token included in the request is expired"}', {
    status: 403,
    headers: { 'x-amzn-errortype': 'ExpiredTokenException' },
  });
const ok = (): Response => new Response('{}');

/** A `fetch` that gives answers in turn, and the tokens that it was sent. */
function answering(...answers: (() => Response)[]) {
  const tokens: (string | null)[] = [];
  const fetchFrom: typeof fetch = (_input, init) => {
    tokens.push(new Headers(init?.headers).get('x-amz-security-token'));
    return Promise.resolve((answers.shift() ?? ok)());
  };
  return { tokens, fetchFrom };
}

describe('signed requests', () => {
  const source = (options?: { forceRefresh?: boolean }): Promise<AwsCredentials> =>
    Promise.resolve({ ...temporary, sessionToken: options?.forceRefresh ? 'second' : 'first' });
  const send = (fetchFrom: typeof fetch, from = source) =>
    signedFetch(fetchFrom, from, scope)(url, { method: 'POST', body: '{}' });

  it('are sent once more with new credentials where a token has expired', async () => {
    const { fetchFrom, tokens } = answering(expired, ok);
    expect((await send(fetchFrom)).status).toBe(200);
    expect(tokens).toEqual(['first', 'second']);
  });

  it('fail after that', async () => {
    const { fetchFrom, tokens } = answering(expired, expired, ok);
    expect((await send(fetchFrom)).status).toBe(403);
    expect(tokens).toHaveLength(2);
  });

  it.each<[string, () => Response, AwsCredentials]>([
    [
      'the refusal is another one',
      () => new Response('{"message":"no access"}', { status: 403 }),
      temporary,
    ],
    ['the keys are for ever', expired, { accessKeyId: 'AKIA1', secretAccessKey: 'secret' }],
  ])('are sent once where %s', async (_why, answer, credentials) => {
    const { fetchFrom, tokens } = answering(answer, ok);
    const response = await send(fetchFrom, () => Promise.resolve(credentials));
    expect(response.status).toBe(403);
    expect((await response.text()).length).toBeGreaterThan(0);
    expect(tokens).toHaveLength(1);
  });

  it('are not sent without credentials', async () => {
    const { fetchFrom, tokens } = answering(ok);
    const failed = send(fetchFrom, () => Promise.reject(new Error('IMDS did not answer')));
    await expect(failed).rejects.toMatchObject({
      message:
        'The credentials of bedrock could not be renewed: IMDS did not answer. Send the turn again.',
      status: 503,
      retryable: true,
      details: { provider: 'bedrock', category: 'MISSING_API_KEY' },
    });
    expect(tokens).toEqual([]);
  });
});
