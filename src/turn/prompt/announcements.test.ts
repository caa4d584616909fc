import { describe, expect, it } from '@jest/globals';
import { compact } from '../../platform/compact.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { allParts, partsOf, type HasParts } from '../../../test/support/turn/parts-of.js';
import { announcedBy } from './announcements.js';
import { choosePrefix, type ChosenPrefix, type PrefixInput } from './prefix.js';

const tool = (name: string, description = `Does ${name}.`): ToolSpec => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const skill = (name: string, digest = '1'): AnnouncedSkill => ({
  name,
  description: `Is for ${name}.`,
  digest,
});

type Wanted = Partial<PrefixInput> & HasParts & { prompt?: string };

/** What a turn wants. Another `prompt` makes the prefix anew. The tools of the server `band` are those in `tools`. */
function wants({ prompt = 'System.', skills, mcp, ...more }: Wanted): PrefixInput {
  const { tools = [tool('read')] } = more;
  const ofBand = tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
  return {
    systemIn: (mode, paragraphs) => [prompt, mode, ...paragraphs].join('\n'),
    mode: 'direct',
    parts: partsOf({
      ...compact({ skills }),
      mcp: { tools: ofBand, answered: ['band'], ...mcp },
    }),
    ...more,
    tools,
  };
}

/** Turns of one conversation, each of which contains the notices of those before. */
function converse(first: Wanted = {}) {
  let { prefix } = choosePrefix(null, wants(first));
  let notices: { announced: unknown }[] = [];
  return {
    get notices() {
      return notices;
    },
    /** A summary stands for the turns so far. */
    summarise: () => {
      notices = [];
    },
    next: (wanted: Wanted): ChosenPrefix => {
      const announced = announcedBy(notices, allParts);
      const chosen = choosePrefix(prefix, wants({ ...wanted, announced }));
      ({ prefix } = chosen);
      const { notice, said } = chosen;
      if (notice !== undefined) notices.push({ announced: { ...prefix.told, said } });
      return chosen;
    },
  };
}

const band = (...names: string[]): ToolSpec[] => names.map((name) => tool(`mcp__band__${name}`));

describe('what was announced', () => {
  it('is corrected after a prefix that was made anew, and no more than that', () => {
    const turns = converse({ tools: [tool('read'), tool('bash')] });
    const tools = [tool('read')];
    expect(turns.next({ mode: 'plan', tools }).notice).toContain('plan from here on.');
    const anew = { prompt: 'Another.', tools: [tool('read'), tool('bash')] };
    expect(turns.next(anew).notice).toBe(
      'The permission mode is direct from here on. Every tool is on from here on.',
    );
    expect(turns.next(anew)).toMatchObject({ notice: undefined, isChanged: false });
    // The last word is what the new prefix says, too.
    expect(turns.next({ ...anew, prompt: 'A third.' }).notice).toBeUndefined();
    expect(turns.next({ ...anew, prompt: 'A fourth.', mode: 'plan' }).notice).toBe(
      'The permission mode is plan from here on.',
    );
  });

  it('is not said where a new prefix alone differs', () => {
    const turns = converse({ skills: [skill('git')] });
    turns.next({ mode: 'plan', skills: [skill('git')] });
    const { notice } = turns.next({
      prompt: 'Another.',
      mode: 'plan',
      skills: [skill('sql')],
      mcp: { servers: [{ name: 'band', instructions: 'Play.' }] },
    });
    expect(notice).toBeUndefined();
  });

  it('remembers that a tool was off while no prefix listed it', () => {
    const both = [tool('read'), tool('bash')];
    const turns = converse({ tools: both });
    turns.next({ tools: [tool('read')] });
    expect(turns.next({ prompt: 'Another.', tools: [tool('read')] }).notice).toBeUndefined();
    expect(turns.next({ prompt: 'Another.', tools: both }).notice).toBe(
      'Every tool is on from here on.',
    );
  });

  it('is corrected for skills and instructions of servers', () => {
    const mcp = { servers: [{ name: 'band', instructions: 'Play softly.' }] };
    const turns = converse({ skills: [skill('git'), skill('sql')] });
    turns.next({ skills: [skill('sql', '2'), skill('css')], mcp });
    const { notice } = turns.next({
      prompt: 'Another.',
      skills: [skill('git'), skill('sql', '3')],
      mcp: { servers: [{ name: 'band', instructions: 'Play loud.' }] },
    });
    expect(notice).toBe(
      'From here on there are these skills too:\n- git: Is for git.\n These skills have changed; load them again before you follow them: sql. These skills are gone: css. From here on:\nThe MCP server band says of its tools:\nPlay loud.',
    );
  });

  it('is corrected for tools of MCP servers', () => {
    const turns = converse({ tools: band('horn', 'drum') });
    turns.next({ tools: [tool('mcp__band__horn', 'Is loud.'), ...band('bell')] });
    const anew = {
      prompt: 'Another.',
      tools: [tool('mcp__band__horn', 'Is low.'), ...band('drum')],
    };
    expect(turns.next(anew).notice).toBe(
      'Their MCP servers no longer have these tools, and calls to them fail: mcp__band__bell. MCP servers have these tools again: mcp__band__drum. mcp__band__horn has another definition from here on: {"description":"Is low.","input_schema":{"type":"object"}}',
    );
    expect(turns.next(anew).notice).toBeUndefined();
  });

  it('says that a tool is gone which came after the prefix, and when it is back', () => {
    const turns = converse({ tools: band('horn') });
    turns.next({ tools: band('horn', 'bell') });
    const gone = turns.next({ tools: band('horn') });
    expect(gone.notice).toBe(
      'Their MCP servers no longer have these tools, and calls to them fail: mcp__band__bell.',
    );
    expect(gone.prefix.told.mcp?.gone).toEqual(['mcp__band__bell']);
    expect(turns.next({ tools: band('horn') }).notice).toBeUndefined();
    expect(turns.next({ tools: band('horn', 'bell') }).notice).toBe(
      'MCP servers have these tools again: mcp__band__bell.',
    );
  });

  it('says that such a tool is off while its server does not answer, and not that one is back that is gone', () => {
    const turns = converse({ tools: band('horn', 'drum') });
    turns.next({ tools: band('horn', 'bell') });
    const away = { tools: [], mcp: { tools: [], answered: [] } };
    expect(turns.next(away).notice).toBe(
      'These tools are off from here on, and calls to them are not run: mcp__band__horn, mcp__band__bell.',
    );
    expect(turns.next(away).notice).toBeUndefined();
    expect(turns.next({ tools: band('horn', 'bell') }).notice).toBe(
      'Every tool is on from here on.',
    );
  });

  it('is said again where a summary has replaced the notice', () => {
    const turns = converse();
    turns.next({ mode: 'plan' });
    expect(turns.next({ mode: 'plan' }).notice).toBeUndefined();
    turns.summarise();
    expect(turns.next({ mode: 'plan', compaction: 'cmp_1' }).notice).toBe(
      'The permission mode is plan from here on.',
    );
    expect(turns.next({ mode: 'plan', compaction: 'cmp_1' }).notice).toBeUndefined();
  });

  it('is nothing where the metadata of a notice has another shape', () => {
    const said = { mode: 'plan', skills: [{ name: 1 }], mcp: {} };
    const notices = [null, { mode: 'none' }, { said: { off: 'all' } }, { said }];
    expect(
      announcedBy(
        notices.map((announced) => ({ announced })),
        allParts,
      ),
    ).toEqual({
      mode: 'plan',
      skills: [],
      goneSkills: [],
      servers: [],
      mcp: { fresh: [], changed: [], gone: [] },
    });
  });
});
