import { afterAll, expect, it } from '@jest/globals';
import { serveHttp } from '../../../test/support/serve-http.js';
import { fetchWithSeconds } from './read-seconds.js';

let answer = { type: 'application/json', body: '' };
const provider = await serveHttp((_request, response) => {
  response.writeHead(200, { 'content-type': answer.type, 'retry-after': '7' }).end(answer.body);
});
afterAll(() => provider.close());

async function read(body: string, type = 'application/json; charset=utf-8') {
  answer = { type, body };
  const options = { body: undefined, headers: {}, method: 'GET', redirect: 'manual' } as const;
  const response = await fetchWithSeconds(provider.url, options);
  expect(response.headers.get('retry-after')).toBe('7');
  return response.text();
}

it.each([
  [
    { expires_in: '60', interval: '1' },
    { expires_in: 60, interval: 1 },
  ],
  [
    { expires_in: 60, interval: 5 },
    { expires_in: 60, interval: 5 },
  ],
  [{ expires_in: ' 3599.5 ', interval: '' }, { expires_in: 3599.5 }],
  [{ expires_in: 0, interval: 0 }, { expires_in: 0 }],
  [{ expires_in: null, interval: null }, {}],
  [{ expires_in: 'soon', interval: -1 }, {}],
  [{ expires_in: [60], interval: true }, {}],
])('reads the seconds of %j', async (sent, seconds) => {
  const rest = { access_token: 'a', scope: 'x' };
  expect(JSON.parse(await read(JSON.stringify({ ...rest, ...sent })))).toEqual({
    ...rest,
    ...seconds,
  });
});

it.each([
  ['{"expires_in": "60"', 'application/json'],
  ['["expires_in"]', 'application/json'],
  ['{ "token": "a" }', 'application/json'],
  ['{"expires_in":"60"}', 'text/html'],
])('leaves anything else as it is: %s as %s', async (body, type) => {
  expect(await read(body, type)).toBe(body);
});
