import { describe, expect, it } from '@jest/globals';
import { triesBefore } from './request-try.js';

describe('triesBefore', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'x-stainless-retry-count': '0' }, 0],
    [{ 'x-stainless-retry-count': '2' }, 2],
    [{ 'retry-attempt': '1' }, 1],
    [{ 'x-envoy-attempt-count': '1' }, 0],
    [{ 'x-envoy-attempt-count': '3' }, 2],
    [{ 'x-envoy-attempt-count': '0' }, 0],
    [{ 'amz-sdk-request': 'attempt=1; max=3' }, 0],
    [{ 'amz-sdk-request': 'ttl=20260101T000000Z; attempt=2; max=3' }, 1],
    // A proxy's own tries are beside those of the client.
    [{ 'x-stainless-retry-count': '0', 'x-envoy-attempt-count': '2' }, 1],
    [{ 'x-stainless-retry-count': '-1' }, undefined],
    [{ 'x-stainless-retry-count': '1e3' }, undefined],
    [{ 'x-stainless-retry-count': '1, 1' }, undefined],
    [{ 'amz-sdk-request': 'max=3' }, undefined],
  ])('is of %j: %s', (headers, tries) => {
    expect(triesBefore(headers)).toBe(tries);
  });
});
