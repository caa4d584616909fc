import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TypedError } from '../../src/errors/typed-error.js';
import { turns } from '../../src/storage/schema.js';
import { describedTool } from '../../src/tools/registry.js';
import type { ToolContext } from '../../src/tools/tool.js';
import {
  ToolSources,
  type SourceTools,
  type ToolSource,
} from '../../src/turn/state/tool-source.js';
import { useDatabase } from '../support/database/database.js';
import { readTurn } from '../support/turn/read-turn.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { submit } from '../support/turn/submit.js';

/** A source of tools by name, each of which says whose it is. */
function source(name: string, precedence: number, more: Partial<SourceTools> = {}): ToolSource {
  const tool = (called: string) => ({
    ...describedTool(
      { name: called, description: `Of ${name}.`, inputSchema: { type: 'object' } },
      '',
    ),
    open: ({ env }: ToolContext) => ({
      run: () => Promise.resolve(`${name} ran with ${env?.['FROM'] ?? 'nothing'}`),
    }),
  });
  return {
    name,
    precedence,
    open: () => ({ tools: [tool('both'), tool(`of_${name}`)], bounds: [], ...more }),
  };
}

describe('sources of tools', () => {
  const database = useDatabase();
  let test: TestServices;
  beforeEach(async () => {
    await database.db.delete(turns);
    test = await openTestServices(database, []);
  });
  afterEach(() => test.close());

  async function run(sources: ToolSource[], message: string) {
    await test.startWorker({ toolSources: new ToolSources(sources) });
    const { turnId } = await submit(test, message, {});
    return readTurn(test.services.follower, turnId);
  }

  it('are offered in the order of their precedence, and the first has a name that two have', async () => {
    const context = { env: { FROM: 'the source' } };
    const late = source('late', 2, { context });
    const events = await run([late, source('early', 1)], '[[tool=both {}]] [[tool=of_late {}]]');
    const offered = test.modelRequests[0]?.body.tools?.map(({ name }) => name);
    expect(offered?.filter((name) => /both|of_/.test(name))).toEqual([
      'both',
      'of_early',
      'of_late',
    ]);
    const outputs = events.flatMap((event) => (event.type === 'tool.ended' ? [event.output] : []));
    expect(outputs).toEqual(['early ran with the source', 'late ran with the source']);
  });

  it('are closed when a later one cannot be opened', async () => {
    const closed: string[] = [];
    const close = async (): Promise<void> => void closed.push('early');
    const broken: ToolSource = {
      name: 'broken',
      precedence: 2,
      open: () => {
        throw new TypedError('MCP_PROMPT_FAILURE', { message: 'It is not there.' });
      },
    };
    const events = await run([source('early', 1, { close }), broken], 'Hello');
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', reason: 'MCP_PROMPT_FAILURE' });
    expect(closed).toEqual(['early']);
  });

  it('have names of their own', () => {
    const sources = new ToolSources([source('one', 1)]);
    expect(() => sources.register(source('one', 2))).toThrow('one is registered twice');
  });
});
