import { describe, expect, it } from '@jest/globals';
import { offerTools } from './offer-tools.js';

const tools = [
  { name: 'read', effect: 'read' },
  { name: 'write', effect: 'edit' },
  { name: 'bash', effect: 'command' },
] as const;

describe('offerTools', () => {
  it.each([
    ['nothing named', [], [], 'read write'],
    ['bash named', ['bash'], [], 'read write bash'],
    ['another one named', ['read'], [], 'read write'],
    ['bash named and disallowed', ['bash'], ['bash'], 'read write'],
    ['a read disallowed', ['bash'], ['read'], 'write bash'],
    ['another spelling disallowed', [], ['Read'], 'read write'],
  ])('%s', (_name, namedByTurn, disallowed, offered) => {
    const names = offerTools(tools, { namedByTurn, disallowed }).map(({ name }) => name);
    expect(names.join(' ')).toBe(offered);
  });
});
