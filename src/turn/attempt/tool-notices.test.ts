import { describe, expect, it } from '@jest/globals';
import { offerTools, type OfferRules } from '../../governance/permissions/offer-tools.js';
import { commandsLeftOut, unknownTools } from './tool-notices.js';

const tools = [
  { name: 'bash', effect: 'command' },
  { name: 'read', effect: 'read' },
  { name: 'write', effect: 'edit' },
] as const;

function leftOut(listed: readonly string[], more: Partial<OfferRules> = {}, named: string[] = []) {
  const rules: OfferRules = {
    layers: [{ mode: 'direct', named, agent: {} }],
    server: {},
    session: {},
    ...more,
  };
  const asked = tools.filter(({ name }) => listed.includes(name));
  const offered = offerTools(asked, rules);
  return commandsLeftOut({ listed, tools: asked, offered, rules }).map(
    ({ metadata }) => metadata?.['tool'],
  );
}

describe('commandsLeftOut', () => {
  it('names what an agent lists and its turn goes without', () => {
    expect(leftOut(['bash', 'read'])).toEqual(['bash']);
    expect(leftOut(['read', 'write'])).toEqual([]);
  });

  it('says nothing where the tool is there, or a rule denies it', () => {
    expect(leftOut(['bash'], {}, ['bash'])).toEqual([]);
    expect(leftOut(['bash'], { session: { allow: ['bash(git *)'] } })).toEqual([]);
    for (const deny of [['bash'], ['*']]) {
      expect(leftOut(['bash'], { server: { deny } })).toEqual([]);
      expect(leftOut(['bash'], { session: { deny } })).toEqual([]);
    }
    expect(leftOut(['bash'], { session: { deny: ['bash(rm *)'] } })).toEqual(['bash']);
  });

  it('says what to do', () => {
    const rules = { layers: [{ mode: 'direct', named: [], agent: {} }], server: {}, session: {} };
    const [notice] = commandsLeftOut({ listed: ['bash'], tools, offered: [], rules });
    expect(notice).toMatchObject({
      kind: 'tool-left-out',
      level: 'message',
      seenByModel: false,
      text: expect.stringContaining('List it in opts.tools'),
    });
  });
});

describe('names of opts.tools for which there is no tool', () => {
  const opened = [
    { tools: [{ name: 'pick' }], reserved: ['read', 'write'] },
    { tools: [{ name: 'mcp__gh__issues' }] },
  ];
  const sources = [{ owns: ['load_skill'] }, {}];
  const told = (...tools: string[]) => unknownTools({ tools }, { sources, opened });

  it('are told in one notice, with the name that may be meant', () => {
    expect(told('pick', 'reads', 'order_status')).toEqual([
      expect.objectContaining({
        kind: 'tools-unknown',
        text: 'The turn has no tool for these names in opts.tools: "reads" (do you mean read?), "order_status".',
        metadata: { tools: ['reads', 'order_status'] },
      }),
    ]);
  });

  it('are not those of tools, of servers, of the provider, or of a source that has notices of its own', () => {
    expect(told('pick', 'mcp__gh', 'mcp__gh__issues', 'web_search', 'load_skill')).toEqual([]);
  });

  it('are ten at most', () => {
    const names = Array.from({ length: 12 }, (_, index) => `other_${index}`);
    expect(told(...names)[0]?.text).toMatch(/ and 2 more\.$/);
  });
});
