import { describe, expect, it } from '@jest/globals';
import { parseAllowedOrigin } from './variable-forms.js';

describe('parseAllowedOrigin', () => {
  it.each([
    ['https://Gateway.Example:443/', 'https://gateway.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://gateway.example', undefined],
    ['https://gateway.example/path', undefined],
    ['https://gateway.example?x', undefined],
    ['https://user@gateway.example', undefined],
    ['gateway.example', undefined],
    ['*', undefined],
  ])('%s is %s', (entry, origin) => {
    expect(parseAllowedOrigin(entry)).toBe(origin);
  });
});
