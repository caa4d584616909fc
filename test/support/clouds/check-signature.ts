import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Expected {
  service: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Most that the time of a signature may differ, in ms. */
const SKEW_MS = 300_000;

/**
 * What is wrong with the signature of a request, by the text of Amazon's Signature Version 4; undefined: it is right.
 *
 * @param body as it came.
 */
export function signatureFault(
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
  expected: Expected,
): string | undefined {
  const { service, region, accessKeyId, secretAccessKey, sessionToken } = expected;
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (given === null) return `no signature: ${headers.authorization ?? 'no authorization'}`;
  const [, credential, names = '', signature] = given;
  const time = String(headers['x-amz-date']);
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  if (credential !== `${accessKeyId}/${scope}`) return `the credential ${credential}`;
  if (headers['x-amz-security-token'] !== sessionToken) return 'the security token';
  if (Math.abs(millis(time) - Date.now()) > SKEW_MS) return `the time ${time}`;
  const signed = names.split(';');
  for (const needed of [
    'host',
    'x-amz-date',
    ...(sessionToken === undefined ? [] : ['x-amz-security-token']),
  ]) {
    if (!signed.includes(needed)) return `${needed} is not signed`;
  }
  const [pathname = '', query = ''] = url.split('?');
  const canonical = [
    method,
    // A path is encoded once more than it was sent.
    pathname.split('/').map(encoded).join('/'),
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, text).toString('hex') === signature ? undefined : 'the signature does not match';
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20261130T201300Z` as ms. */
function millis(time: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}
