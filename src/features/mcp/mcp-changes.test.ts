import { describe, expect, it } from '@jest/globals';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { partsOf } from '../../../test/support/turn/parts-of.js';
import { choosePrefix, type ChosenPrefix, type PrefixInput } from '../../turn/prompt/prefix.js';
import { deferTools } from './defer-tools.js';
import type { McpState } from './mcp-part.js';

const tool = (name: string, description = `Does ${name}.`): ToolSpec => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const read = tool('read');
const band = (...names: string[]): ToolSpec[] => names.map((name) => tool(`mcp__band__${name}`));

/** What a turn wants whose MCP server lists these tools; they are deferred from two on, where `search` is auto. */
function wants(
  tools: readonly ToolSpec[],
  more: Partial<PrefixInput> & { search?: 'auto'; mcp?: Partial<McpState> } = {},
) {
  const { search, mcp, ...rest } = more;
  const terms = {
    toolSearch: search ?? ('off' as const),
    toolSearchAbove: 1,
    toolSearchPercent: 100,
  };
  const model = { contextWindow: 200_000, tokenScale: 1 };
  return {
    systemIn: (_mode, paragraphs) => `System. ${paragraphs.join('')}`,
    mode: 'direct',
    tools: [read, ...tools],
    parts: partsOf({
      mcp: {
        tools: tools.map(({ name }) => name),
        answered: ['band'],
        defer: (all) => deferTools(all, { terms, model, kept: new Set() }),
        ...mcp,
      },
    }),
    ...rest,
  } satisfies PrefixInput;
}

const begin = (...args: Parameters<typeof wants>): RequestPrefix =>
  choosePrefix(null, wants(...args)).prefix;
/** Chooses the prefix of the turn after one, whose notice it contains. */
const follow = (last: ChosenPrefix, input: PrefixInput): ChosenPrefix =>
  choosePrefix(last.prefix, { ...input, announced: last.said });
const sentBy = ({ prefix }: ChosenPrefix): [string, ToolSpec[]] => [prefix.system, prefix.tools];

describe('choosePrefix with tools of MCP servers', () => {
  const stored = begin(band('horn', 'drum'));

  it('keeps what was sent where a server has a new tool, and says so once', () => {
    const held = choosePrefix(stored, wants(band('horn', 'drum', 'bell')));
    expect(sentBy(held)).toEqual([stored.system, stored.tools]);
    expect(held.notice).toBe(
      'MCP servers have new tools: mcp__band__bell. They are listed once the conversation was summarised, or in the next session.',
    );
    const again = follow(held, wants(band('horn', 'drum', 'bell')));
    expect(again).toMatchObject({ isChanged: false, notice: undefined });
  });

  it('says that a tool is gone, and when it is back, and not that it is off', () => {
    const gone = choosePrefix(stored, wants(band('horn')));
    expect(gone.notice).toBe(
      'Their MCP servers no longer have these tools, and calls to them fail: mcp__band__drum.',
    );
    expect(gone.prefix.told).toMatchObject({ off: [], mcp: { gone: ['mcp__band__drum'] } });
    const back = follow(gone, wants(band('horn', 'drum')));
    expect(back.notice).toBe('MCP servers have these tools again: mcp__band__drum.');
    expect(back.prefix).toEqual(stored);
  });

  it('has the tools of a server that did not answer switched off', () => {
    const away = choosePrefix(stored, wants([], { mcp: { tools: [], answered: [] } }));
    expect(away.notice).toContain('off from here on');
    expect(away.prefix.told.mcp).toBeUndefined();
  });

  it('keeps the definition that was sent, and tells of each other one once', () => {
    const other = (what: string) => wants([tool('mcp__band__horn', what), ...band('drum')]);
    const changed = choosePrefix(stored, other('Is loud.'));
    expect(sentBy(changed)).toEqual([stored.system, stored.tools]);
    expect(changed.notice).toBe(
      'mcp__band__horn has another definition from here on: {"description":"Is loud.","input_schema":{"type":"object"}}',
    );
    expect(follow(changed, other('Is loud.'))).toMatchObject({
      isChanged: false,
      notice: undefined,
    });
    expect(follow(changed, other('Is low.')).notice).toContain('Is low.');
    const restored = follow(changed, wants(band('horn', 'drum')));
    expect(restored.prefix).toEqual(stored);
    expect(restored.notice).toContain('{"description":"Does mcp__band__horn."');
  });

  it('begins anew after a compaction, with what the servers have then, and only where that differs', () => {
    const tools = band('horn', 'bell');
    const held = choosePrefix(stored, wants(tools)).prefix;
    const compacted = choosePrefix(held, wants(tools, { compaction: 'cmp_1' }));
    expect(compacted.notice).toBeUndefined();
    expect(compacted.prefix).toEqual({
      ...begin(tools),
      compaction: 'cmp_1',
    });
    const same = choosePrefix(stored, wants(band('horn', 'drum'), { compaction: 'cmp_1' }));
    expect(same.prefix).toEqual({ ...stored, compaction: 'cmp_1' });
    const later = choosePrefix(same.prefix, wants(tools, { compaction: 'cmp_1' }));
    expect(sentBy(later)).toEqual([stored.system, stored.tools]);
  });

  it('begins anew after a compaction where a server says something else of its tools', () => {
    const servers = [{ name: 'band', instructions: 'Play softly.' }];
    const tools = band('horn', 'drum');
    const { prefix } = choosePrefix(stored, wants(tools, { mcp: { servers } }));
    expect(prefix.servers).toBeUndefined();
    const compacted = choosePrefix(prefix, wants(tools, { mcp: { servers }, compaction: 'cmp_1' }));
    expect(compacted.prefix.servers).toEqual(servers);
  });

  it.each<[string, PrefixInput]>([
    [
      'a tool that the turn was not given before',
      wants(band('horn', 'drum', 'bell'), {
        mcp: { tools: ['mcp__band__bell'], answered: ['band'] },
      }),
    ],
    ['a server that was not there', wants([...band('horn', 'drum'), tool('mcp__choir__sing')])],
    [
      'the tools of a server that listed none before a log-in',
      wants([...band('horn', 'drum'), tool('mcp__orchestra__play')]),
    ],
  ])('begins anew for %s', (_what, wanted) => {
    const others = ['mcp__band__bell', 'mcp__orchestra__authorize'];
    const partly = { ...stored, mcpTools: [...(stored.mcpTools ?? []), ...others] };
    expect(choosePrefix(partly, wanted).prefix.tools).toEqual(wanted.tools);
  });
});

describe('choosePrefix with a search', () => {
  const stored = begin(band('horn', 'drum'), { search: 'auto' });

  it('defers the tools of MCP servers, and names these in the system prompt', () => {
    expect(stored.tools.map(({ deferred }) => deferred)).toEqual([undefined, true, true]);
    expect(stored.system).toContain('Search before you say that you lack a tool: band.');
    expect(stored.searched).toEqual(['band']);
    const kept = choosePrefix(stored, wants(band('horn', 'drum')));
    expect(kept).toMatchObject({ prefix: stored, isChanged: false });
  });

  it('begins anew for a tool that the provider would take no request with', () => {
    const many = Array.from({ length: 9_500 }, (_, index) => tool(`mcp__band__t${index}`));
    const { prefix } = choosePrefix(null, wants(many, { search: 'auto' }));
    const fewer = [...many.slice(0, 9), ...band('bell')];
    expect(choosePrefix(prefix, wants(fewer, { search: 'auto' })).prefix.tools).toHaveLength(11);
  });

  it('adds new tools to the end, and changes none before', () => {
    const wanted = wants([...band('horn', 'drum', 'bell'), tool('mcp__choir__sing')]);
    const { prefix, notice, said } = choosePrefix(stored, wanted);
    const added = [...band('bell'), tool('mcp__choir__sing')];
    expect(prefix.system).toBe(stored.system);
    expect(prefix.tools).toEqual([
      ...stored.tools,
      ...added.map((one) => ({ ...one, deferred: true })),
    ]);
    expect(notice).toBe(
      'MCP servers have new tools: mcp__band__bell, mcp__choir__sing. The tool search finds them.',
    );
    const again = choosePrefix(prefix, { ...wanted, announced: said });
    expect(again).toMatchObject({ isChanged: false, notice: undefined });
  });
});
