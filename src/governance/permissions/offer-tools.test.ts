import { describe, expect, it } from '@jest/globals';
import { offerTools, type OfferRules } from './offer-tools.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';

const tools = [
  { name: 'read', effect: 'read' },
  { name: 'write', effect: 'edit' },
  { name: 'bash', effect: 'command' },
] as const;

const searching = { name: 'grep', effect: 'read', deniedWith: ['read'] } as const;

const offered = (rules: Partial<OfferRules>): string =>
  offerTools(tools, { layers: [layer()], server: {}, session: {}, ...rules })
    .map(({ name }) => name)
    .join(' ');

const layer = (named: string[] = [], agent: PermissionRules = {}) => ({
  mode: 'plan',
  named,
  agent,
});

describe('offerTools', () => {
  it.each<[string, Partial<OfferRules>, string]>([
    ['nothing named', {}, 'read write'],
    ['bash named', { layers: [layer(['bash'])] }, 'read write bash'],
    ['another one named', { layers: [layer(['read'])] }, 'read write'],
    ['bash allowed by the agent', { layers: [layer([], { allow: ['bash'] })] }, 'read write bash'],
    ['some bash allowed by the server', { server: { allow: ['bash(git *)'] } }, 'read write bash'],
    ['some bash allowed by the session', { session: { allow: ['bash(x)'] } }, 'read write bash'],
    ['bash asked about', { session: { ask: ['bash'] } }, 'read write'],
    ['bash named and denied', { layers: [layer(['bash'], { deny: ['bash'] })] }, 'read write'],
    ['bash allowed and denied', { server: { allow: ['bash'], deny: ['bash'] } }, 'read write'],
    ['some writes denied', { server: { deny: ['write(docs/**)'] } }, 'read write'],
    ['a read denied by the session', { session: { deny: ['read'] } }, 'write'],
    ['another spelling denied', { session: { deny: ['Read'] } }, 'read write'],
    ['everything denied', { layers: [layer(['bash'], { deny: ['*'] })] }, ''],
    ['by its parent denied', { layers: [layer([], { deny: ['write'] }), layer()] }, 'read'],
    ['by its parent not named', { layers: [layer(), layer(['bash'])] }, 'read write'],
  ])('%s', (_name, rules, names) => {
    expect(offered(rules)).toBe(names);
  });

  it('leaves out what shows contents where reading is denied', () => {
    const rules = { layers: [layer()], server: {}, session: {} };
    expect(offerTools([searching], rules)).toEqual([searching]);
    expect(offerTools([searching], { ...rules, server: { deny: ['read(a)'] } })).toHaveLength(1);
    expect(offerTools([searching], { ...rules, server: { deny: ['read'] } })).toEqual([]);
  });
});
