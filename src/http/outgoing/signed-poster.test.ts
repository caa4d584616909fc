import { describe, expect, it } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newWebhookSecret, signDelivery } from './signed-poster.js';

const body = '{"type":"turn.ended"}';
const timestamp = Math.floor(Date.now() / 1_000);
const headersOf = (signature: string, id = 'evt_1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

describe('signDelivery', () => {
  const [secret, older] = [newWebhookSecret(), newWebhookSecret()];

  it('makes what the library of receivers verifies', () => {
    const signature = signDelivery({ id: 'evt_1', timestamp, body }, [secret]);
    expect(new Webhook(secret).verify(body, headersOf(signature))).toEqual(JSON.parse(body));
    expect(signature).toBe(new Webhook(secret).sign('evt_1', new Date(timestamp * 1_000), body));
  });

  it('makes a signature for each secret: receivers with either verify', () => {
    const signature = signDelivery({ id: 'evt_1', timestamp, body }, [secret, older]);
    for (const known of [secret, older]) {
      expect(() => new Webhook(known).verify(body, headersOf(signature))).not.toThrow();
    }
    const foreign = new Webhook(newWebhookSecret());
    expect(() => foreign.verify(body, headersOf(signature))).toThrow(WebhookVerificationError);
  });

  it.each([
    ['another body', '{"type":"turn.started"}', 'evt_1'],
    ['another id', body, 'evt_2'],
  ])('makes what does not verify %s', (_what, sent, id) => {
    const signature = signDelivery({ id: 'evt_1', timestamp, body }, [secret]);
    const verify = (): unknown => new Webhook(secret).verify(sent, headersOf(signature, id));
    expect(verify).toThrow(WebhookVerificationError);
  });

  it('has secrets of at least 24 bytes, none twice', () => {
    const secrets = new Set(Array.from({ length: 100 }, newWebhookSecret));
    expect(secrets.size).toBe(100);
    for (const one of secrets) {
      expect(one).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(one.slice('whsec_'.length), 'base64').length).toBeGreaterThanOrEqual(24);
    }
  });
});
