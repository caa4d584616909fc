import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LookupFunction } from 'node:net';
import {
  answerWith,
  startReceiver,
  verify,
  type Receiver,
} from '../../../test/support/webhooks/start-receiver.js';
import { someSecret } from '../../../test/support/webhooks/store-endpoint.js';
import { systemClock } from '../../platform/clock.js';
import { judgeUrl } from '../../http/outgoing/judge-url.js';
import { newWebhookSecret } from '../../http/outgoing/signed-poster.js';
import {
  DeliveryPoster,
  shownBody,
  type PosterOptions,
  type SendableDelivery,
} from './delivery-poster.js';

const never = new AbortController().signal;
const listing = (...listed: string[]) => ({ variable: 'TURNPIKE_WEBHOOK_PRIVATE_HOSTS', listed });
const notShown = '[not shown: the endpoint is inside the network]';

describe('DeliveryPoster', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const post = (
    more: Partial<SendableDelivery> = {},
    options: Partial<PosterOptions> = {},
    stop = never,
  ) =>
    new DeliveryPoster({ inside: listing('127.0.0.1:*'), clock: systemClock, ...options }).post(
      {
        id: 'evt_1',
        type: 'turn.ended',
        turnId: 'turn_1',
        sessionId: 'sess_1',
        parentTurnId: null,
        facts: { attempt: 1, seq: 7, outcome: 'completed' },
        createdAt: new Date(0),
        url: receiver.url,
        secret: someSecret,
        previousSecrets: [],
        ...more,
      },
      stop,
    );
  const resolvingTo =
    (address: string): LookupFunction =>
    (_host, options, callback) =>
      options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

  it('sends a body that the receiver verifies with either secret', async () => {
    const older = newWebhookSecret();
    const result = await post({ previousSecrets: [older] });
    expect(result).toEqual({
      type: 'answered',
      status: 204,
      retryAfterMs: undefined,
      body: notShown,
    });
    const [request] = receiver.received;
    if (request === undefined) throw new Error('Nothing came');
    expect(request.text).toBe(
      '{"id":"evt_1","type":"turn.ended","timestamp":"1970-01-01T00:00:00.000Z","data":{"turnId":"turn_1","sessionId":"sess_1","attempt":1,"seq":7,"outcome":"completed"}}',
    );
    expect(verify(request, someSecret)).toEqual(request.body);
    expect(verify(request, older)).toEqual(request.body);
    expect(request.headers['user-agent']).toMatch(/^turnpike\/\d/);
  });

  it('has the status of an answer, and nothing of what a service inside the network says', async () => {
    receiver.answer = answerWith(503, { 'retry-after': '7' }, 'instance credentials');
    expect(await post()).toEqual({
      type: 'answered',
      status: 503,
      retryAfterMs: 7_000,
      body: notShown,
    });
  });

  it('shows the beginning of the answer of others, without what cannot be stored', () => {
    const body = Buffer.from(`a\0b${'é'.repeat(100_000)}`);
    const shown = shownBody({ body, isInside: false });
    expect(shown).toMatch(/^a�bé+/);
    expect(shown.length).toBeLessThanOrEqual(1_024);
  });

  it('takes an answer whose body never ends for the status that it has', async () => {
    receiver.answer = (response) => void response.writeHead(200).write('begun');
    expect(await post({}, { timeoutMs: 2_000 })).toMatchObject({ type: 'answered', status: 200 });
  });

  it('gives up an endpoint that does not answer', async () => {
    receiver.answer = () => undefined;
    const result = await post({}, { timeoutMs: 200 });
    expect(result).toEqual({ type: 'failed', reason: 'no answer within 0.2 s' });
  });

  it('ends with the process, and says so', async () => {
    receiver.answer = () => undefined;
    const stop = new AbortController();
    const reason = new Error('stopped');
    const posted = post({}, {}, stop.signal);
    stop.abort(reason);
    await expect(posted).rejects.toBe(reason);
  });

  it('says why there was no connection', async () => {
    const closed = await startReceiver();
    await closed.close();
    expect(await post({ url: closed.url })).toEqual({
      type: 'failed',
      reason: 'the connection failed: ECONNREFUSED',
    });
  });

  it('does not follow a redirect to an address inside', async () => {
    receiver.answer = answerWith(307, { location: receiver.url });
    expect(await post()).toMatchObject({ type: 'answered', status: 307 });
    expect(receiver.received).toHaveLength(1);
  });

  it('judges the address that it connects to: a name that moved inside reaches nothing', async () => {
    const url = receiver.url.replace('http://127.0.0.1', 'https://moved.example');
    expect(judgeUrl(url, listing())).toMatchObject({ ok: true });
    expect(await post({ url }, { lookup: resolvingTo('127.0.0.1') })).toEqual({
      type: 'failed',
      reason:
        'nothing was sent: moved.example is at an address that is not public, and not in TURNPIKE_WEBHOOK_PRIVATE_HOSTS with its port',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('judges the port of a name that is listed', async () => {
    const url = receiver.url.replace('http://127.0.0.1', 'https://inside.example');
    const options = { inside: listing('inside.example:443'), lookup: resolvingTo('127.0.0.1') };
    expect(await post({ url }, options)).toMatchObject({
      reason: expect.stringContaining('inside.example is at an address that is not public'),
    });
    expect(receiver.connections()).toBe(0);
  });

  it('sends nothing by http where the operator no longer lists the host', async () => {
    expect(await post({}, { inside: listing() })).toEqual({
      type: 'failed',
      reason: expect.stringMatching(
        /^nothing was sent: its URL names 127\.0\.0\.1, which is no public/,
      ),
    });
    expect(receiver.received).toEqual([]);
  });
});
