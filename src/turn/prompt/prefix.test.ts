import { describe, expect, it } from '@jest/globals';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { partsOf } from '../../../test/support/turn/parts-of.js';
import { buildSystem, choosePrefix, type PrefixInput } from './prefix.js';

const tool = (name: string, description = name): ToolSpec => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const systemIn = (mode: string): string => `You are in mode ${mode}.`;

function open(...names: string[]): RequestPrefix {
  const tools = names.map((name) => tool(name));
  return choosePrefix(null, { systemIn, mode: 'direct', tools }).prefix;
}

describe('choosePrefix', () => {
  it('keeps that people are waited for, also where it begins anew', () => {
    const stored = { ...open('read'), waits: true as const };
    const other = { systemIn: () => 'Another prompt.', mode: 'direct' as const, tools: [] };
    expect(choosePrefix(stored, other).prefix).toMatchObject({
      system: 'Another prompt.',
      waits: true,
    });
  });

  it('begins a session with what its first turn wants', () => {
    const chosen = choosePrefix(null, { systemIn, mode: 'plan', tools: [tool('read')] });
    expect(chosen).toEqual({
      prefix: {
        system: 'You are in mode plan.',
        tools: [tool('read')],
        mode: 'plan',
        told: { mode: 'plan', off: [] },
      },
      isChanged: true,
      notice: undefined,
      said: {},
      hasTools: true,
    });
  });

  it('keeps what was sent where a turn wants the same, in whatever order', () => {
    const stored = open('read', 'bash');
    const wanted = { systemIn, mode: 'direct', tools: [tool('bash'), tool('read')] } as const;
    expect(choosePrefix(stored, wanted)).toMatchObject({ prefix: stored, isChanged: false });
  });

  it('keeps a tool as it was sent, whatever the order of its keys, and not as it was before an edit', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const read = { ...tool('read'), inputSchema: schema };
    const stored = choosePrefix(null, { systemIn, mode: 'direct', tools: [read] }).prefix;
    const turned = { properties: { a: { type: 'string' } }, type: 'object' };
    const wants = (inputSchema: ToolSpec['inputSchema']) =>
      choosePrefix(stored, { systemIn, mode: 'direct', tools: [{ ...read, inputSchema }] });
    expect(wants(turned)).toMatchObject({ prefix: stored, isChanged: false });
    expect(wants({ ...schema, required: ['a'] }).isChanged).toBe(true);
    expect(wants({ ...schema, properties: { a: { type: 'number' } } }).isChanged).toBe(true);
  });

  it('leaves a tool listed that is off for a turn, says so, and says when it is on again', () => {
    const stored = open('read', 'bash');
    const off = choosePrefix(stored, { systemIn, mode: 'direct', tools: [tool('read')] });
    expect(off.prefix).toEqual({ ...stored, told: { mode: 'direct', off: ['bash'] } });
    expect(off.notice).toContain('off from here on, and calls to them are not run: bash.');
    const wants = { systemIn, mode: 'direct', announced: off.said } as const;
    const again = choosePrefix(off.prefix, { ...wants, tools: [tool('read')] });
    expect(again).toMatchObject({ isChanged: false, notice: undefined });
    const on = choosePrefix(off.prefix, { ...wants, tools: [tool('read'), tool('bash')] });
    expect(on).toMatchObject({ prefix: stored, notice: 'Every tool is on from here on.' });
  });

  it('posts a notice of another permission mode instead of changing the prompt', () => {
    const stored = open('read');
    const chosen = choosePrefix(stored, { systemIn, mode: 'plan', tools: [tool('read')] });
    expect(chosen.prefix).toEqual({ ...stored, told: { mode: 'plan', off: [] } });
    expect(chosen.notice).toBe('The permission mode is plan from here on.');
  });

  it.each<[string, PrefixInput]>([
    ['a tool that was not listed', { systemIn, mode: 'direct', tools: [tool('read'), tool('x')] }],
    ['a tool that changed', { systemIn, mode: 'direct', tools: [tool('read', 'other')] }],
    ['another prompt', { systemIn: () => 'Other.', mode: 'direct', tools: [tool('read')] }],
  ])('begins anew for %s', (_what, wanted) => {
    const chosen = choosePrefix(open('read'), wanted);
    expect(chosen.prefix).toEqual({
      system: wanted.systemIn('direct', []),
      tools: wanted.tools,
      mode: 'direct',
      told: { mode: 'direct', off: [] },
    });
    expect(chosen).toMatchObject({ isChanged: true, notice: undefined });
  });

  it('says that a turn without tools has none', () => {
    const chosen = choosePrefix(open('read'), { systemIn, mode: 'direct', tools: [] });
    expect(chosen).toMatchObject({ hasTools: false, prefix: { tools: [tool('read')] } });
  });
});

describe('choosePrefix with instructions of MCP servers', () => {
  const server = (name: string, instructions: string) => ({ name, instructions });
  const wants = (...servers: ReturnType<typeof server>[]): PrefixInput => ({
    systemIn: (_mode, paragraphs) => `System. ${paragraphs.join('')}`,
    mode: 'direct',
    tools: [tool('mcp__a__x')],
    parts: partsOf({ mcp: { servers } }),
  });
  const stored = choosePrefix(null, wants(server('a', 'Call x first.'))).prefix;

  it('has them in the system prompt, once', () => {
    expect(stored.system).toBe('System. The MCP server a says of its tools:\nCall x first.');
    expect(choosePrefix(stored, wants(server('a', 'Call x first.')))).toMatchObject({
      prefix: stored,
      isChanged: false,
      notice: undefined,
    });
  });

  it('tells of other ones in a notice, once, and keeps the prefix', () => {
    const changed = choosePrefix(
      stored,
      wants(server('a', 'Call x last.'), server('b', 'Be kind.')),
    );
    expect(changed.prefix.system).toBe(stored.system);
    expect(changed.notice).toBe(
      'From here on:\nThe MCP server a says of its tools:\nCall x last.\n\nThe MCP server b says of its tools:\nBe kind.',
    );
    const again = choosePrefix(changed.prefix, {
      ...wants(server('a', 'Call x last.')),
      announced: changed.said,
    });
    expect(again).toMatchObject({ isChanged: false, notice: undefined });
  });

  it('tells nothing of a server that was away', () => {
    const gone = choosePrefix(stored, { ...wants(), tools: [] });
    expect(gone.prefix.system).toBe(stored.system);
    const back = choosePrefix(gone.prefix, {
      ...wants(server('a', 'Call x first.')),
      announced: gone.said,
    });
    expect(back.notice).toBe('Every tool is on from here on.');
  });
});

describe('buildSystem', () => {
  const facts = {
    prompt: ' Be kind. ',
    persona: 'P',
    projectRoot: '/work/p',
    mode: 'plan',
  } as const;

  it('says who, where and what is allowed', () => {
    const system = buildSystem(facts);
    expect(system).toMatch(/^Be kind\.\n\n/);
    expect(system).toContain('running as P, in the project /work/p');
    expect(system).toContain('Permission mode: plan. Read only.');
  });

  it.each([
    ['direct', 'Reading is allowed; changing files and running commands needs approval.'],
    ['acceptEdits', 'Reading and changing files is allowed; running commands needs approval.'],
    ['dontAsk', 'Nobody can be asked: what is not approved in advance is denied.'],
  ] as const)('describes what %s allows', (mode, words) => {
    expect(buildSystem({ ...facts, mode })).toContain(`Permission mode: ${mode}. ${words}`);
  });

  it('leaves an empty prompt out', () => {
    expect(buildSystem({ ...facts, prompt: ' ' })).toMatch(/^You are running/);
  });
});
