import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { OutputBlock } from '../../src/platform/parsing/tool-output.js';
import type { TurnEvent } from '../../src/events/turn-event.js';
import type { RequestBlock } from '../../rehearsal/request-types.js';
import { ToolFailure, type ToolDefinition } from '../../src/tools/tool.js';
import { readTurn } from '../support/turn/read-turn.js';
import { openTestServices } from '../support/turn/turn-services.js';
import { submit, newSession } from '../support/turn/submit.js';
import { useDatabase } from '../support/database/database.js';
import { useShared } from '../support/suite.js';

const picture = (width: number, blue: number): Promise<Buffer> =>
  sharp({ create: { width, height: 8, channels: 3, background: { r: 0, g: 0, b: blue } } })
    .png()
    .toBuffer();

/** Gives as many pictures as it is asked for, of 2,400 pixels each. */
const shots: ToolDefinition = {
  name: 'shots',
  description: 'Takes pictures.',
  inputSchema: { type: 'object' },
  effect: 'read',
  retry: 'safe',
  open: () => ({
    async run({ count = 1, from = 0, fails = false }) {
      const blocks: OutputBlock[] = [{ type: 'text', text: 'here' }];
      for (let index = 0; index < Number(count); index += 1) {
        const bytes = await picture(2_400, Number(from) + index);
        blocks.push({ type: 'file', bytes, name: `shot-${index}.png`, mimeType: 'image/jpeg' });
      }
      if (fails === true) throw new ToolFailure('it failed', { blocks });
      return blocks;
    },
  }),
};

describe('the files of a conversation', () => {
  let sessionId: string;
  const database = useDatabase();
  const test = useShared(() => openTestServices(database, [shots]));
  beforeAll(async () => {
    await test.startWorker();
  });
  beforeEach(async () => {
    sessionId = await newSession(test);
  });

  async function turn(message: string, attachments: string[] = []): Promise<TurnEvent[]> {
    const more = { sessionId, attachments };
    const { turnId } = await submit(test, message, { tools: ['shots'] }, more);
    return readTurn(test.services.follower, turnId);
  }

  async function files(count: number): Promise<string[]> {
    const paths = Array.from({ length: count }, (_, n) => path.join(test.projectRoot, `p${n}.png`));
    for (const [index, file] of paths.entries()) {
      await sharp(await picture(2_400, 100 + index)).toFile(file);
    }
    return paths;
  }

  const endOf = (events: readonly TurnEvent[]) =>
    events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : []));
  const noticesOf = (events: readonly TurnEvent[], kind: string): string[] =>
    events.flatMap((event) =>
      event.type === 'notice.posted' && event.kind === kind ? [event.text] : [],
    );

  /** The blocks of the last request's user messages, those within results too. */
  function lastBlocks(): RequestBlock[] {
    const { messages } = test.modelRequests.at(-1)?.body ?? { messages: [] };
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return blocks.flatMap((block) =>
      block.type === 'tool_result' && Array.isArray(block.content)
        ? [block, ...block.content]
        : [block],
    );
  }

  async function widths(): Promise<number[]> {
    const images = lastBlocks().flatMap((block) => (block.type === 'image' ? [block.source] : []));
    const heads = images.map(({ data = '' }) => sharp(Buffer.from(data, 'base64')).metadata());
    return (await Promise.all(heads)).map(({ width }) => width);
  }

  it('are scaled down together once they are more than twenty, and it is said once', async () => {
    expect(endOf(await turn('Look.', await files(20)))).toEqual(['completed']);
    expect(new Set(await widths())).toEqual(new Set([2_400]));
    const second = await turn('And this. [[tool=shots {}]]');
    expect(endOf(second)).toEqual(['completed']);
    expect(await widths()).toEqual(Array.from({ length: 21 }, () => 2_000));
    expect(noticesOf(second, 'files-limited')).toEqual([
      expect.stringMatching(/^Scaled down to 2000 pixels.*shot-0\.png.*and 11 more\.$/),
    ]);
    const third = await turn('And now?');
    expect(endOf(third)).toEqual(['completed']);
    expect(await widths()).toHaveLength(21);
    expect(noticesOf(third, 'files-limited')).toEqual([]);
  });

  it('reach the model in the result of a tool, by their bytes, in this turn and later ones', async () => {
    await turn('Take it. [[tool=shots {"count":2}]]');
    const sent = lastBlocks();
    const [result] = sent.filter(({ type }) => type === 'tool_result');
    expect(result).toMatchObject({
      content: [
        {
          type: 'text',
          text: expect.stringMatching(/^here\n\[shot-0\.png: image\/png, \d+ bytes\]\n\[shot-1/),
        },
        { type: 'image', source: { media_type: 'image/png' } },
        { type: 'image' },
      ],
    });
    await turn('And now?');
    expect(lastBlocks()).toEqual(
      expect.arrayContaining(sent.filter(({ type }) => type === 'image')),
    );
  });

  it('follow the results where a tool failed: an error has text alone', async () => {
    expect(endOf(await turn('Try. [[tool=shots {"fails":true}]]'))).toEqual(['completed']);
    const kinds = test.modelRequests.at(-1)?.body.messages.at(-1)?.content;
    expect(kinds).toMatchObject([
      { type: 'tool_result', is_error: true, content: expect.stringContaining('shot-0.png') },
      { type: 'image' },
    ]);
  });

  it('are as many as the API takes, where one step brings all of them', async () => {
    expect(endOf(await turn('All. [[tool=shots {"count":20}]]', await files(2)))).toEqual([
      'completed',
    ]);
    const texts = lastBlocks().flatMap((block) => (block.type === 'text' ? [block.text] : []));
    expect(texts.filter((text) => /cannot be shown|not shown/.test(text))).toEqual([]);
    expect(await widths()).toEqual(Array.from({ length: 22 }, () => 2_000));
  });
});
