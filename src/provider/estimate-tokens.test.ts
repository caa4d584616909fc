import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import sharp from 'sharp';
import { imageTokens } from '../../rehearsal/media/files.js';
import type { AssistantPart } from '../storage/shapes/stored-step.js';
import { estimateTokens, estimateParts, estimateRequest, estimateText } from './estimate-tokens.js';
import { imageSize } from './estimate-files.js';
import type { UserPart } from './model-types.js';

interface Sample {
  name: string;
  /** Tokens of `text` by `countTokens` of `@anthropic-ai/tokenizer` 0.0.4. */
  tokens: number;
  text: string;
}

/** Counts recorded once, with that package, which the tests do not need. */
const samples = JSON.parse(
  readFileSync(new URL('fixtures/token-samples.json', import.meta.url), 'utf8'),
) as Sample[];

describe('estimateTokens', () => {
  it.each(samples.map((sample) => [sample.name, sample] as const))(
    'is within 25 %% of the count of %s',
    (_name, { text, tokens }) => {
      expect(estimateTokens(text) / tokens).toBeGreaterThan(0.75);
      expect(estimateTokens(text) / tokens).toBeLessThan(1.25);
    },
  );

  it('is within 10 % of the count of all of them together', () => {
    const sum = (of: (sample: Sample) => number) =>
      samples.reduce((total, sample) => total + of(sample), 0);
    const ratio = sum(({ text }) => estimateTokens(text)) / sum(({ tokens }) => tokens);
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });

  it('of nothing is nothing, and of more is never less', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, more) => {
        expect(estimateTokens(before + more)).toBeGreaterThanOrEqual(estimateTokens(before));
      }),
    );
  });
});

const older = { tokenScale: 1 };
const newer = { tokenScale: 1.3 };

const draw = async (format: 'png' | 'jpeg' | 'gif' | 'webp', width: number, height: number) => {
  const create = { width, height, channels: 3 as const, background: '#336699' };
  const content = await sharp({ create }).toFormat(format).toBuffer();
  return content.toString('base64');
};

describe('imageSize', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('reads the head of a %s', async (format) => {
    expect(imageSize(await draw(format, 321, 123))).toEqual({ width: 321, height: 123 });
  });

  it('has the size of a lossless webp, and none for other files', async () => {
    const create = { width: 65, height: 7, channels: 4 as const, background: '#33669980' };
    const content = await sharp({ create }).webp({ lossless: true }).toBuffer();
    expect(imageSize(content.toString('base64'))).toEqual({ width: 65, height: 7 });
    expect(imageSize(Buffer.from('no image at all, but long enough').toString('base64'))).toBe(
      undefined,
    );
    expect(imageSize('')).toBeUndefined();
  });
});

describe('estimateParts', () => {
  const of = (part: UserPart | AssistantPart, model = older) => estimateParts([part], model);

  it('counts an image by its pixels, however many bytes it has', async () => {
    const image = async (width: number, height: number): Promise<UserPart> => ({
      type: 'image',
      mediaType: 'image/png',
      base64: await draw('png', width, height),
    });
    expect(of(await image(750, 100))).toBe(112);
    expect(of(await image(8_000, 4_000))).toBe(4_236);
    expect(of(await image(2_500, 2_500))).toBe(4_788);
    const odd = { type: 'image' as const, mediaType: 'image/png', base64: 'A'.repeat(1_000_000) };
    expect(of(odd)).toBe(1_604);
  });

  it('counts an image as the API does, or a little more where that is shrunk', async () => {
    const limits = { side: 2_576, tokens: 4_784 };
    const side = fc.integer({ min: 1, max: 3_000 });
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const base64 = await draw('png', width, height);
        const counted = imageTokens(base64, limits) + 4;
        const estimated = of({ type: 'image', mediaType: 'image/png', base64 });
        expect(estimated).toBeGreaterThanOrEqual(counted);
        expect(estimated).toBeLessThanOrEqual(counted * 1.05 + 100);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['pages that are listed', '/Type /Page\n/Type/Page /Type /Pages', 2],
    ['a count', '/Type /Pages /Count 12', 12],
    ['its size, where it hides them', 'x'.repeat(120_000), 3],
  ])('counts a PDF by %s', (_name, text, pages) => {
    const pdf = {
      type: 'pdf' as const,
      title: 'a.pdf',
      base64: Buffer.from(text).toString('base64'),
    };
    expect(of(pdf)).toBe(pages * 3_850 + 4);
  });

  it('counts thinking without its signature, and calls with their input', () => {
    const thinking = { type: 'thinking' as const, thinking: '', signature: 's'.repeat(4_000) };
    expect(of(thinking)).toBe(4);
    const call = {
      type: 'tool_use' as const,
      id: 'a',
      name: 'write',
      input: { text: 'word '.repeat(100) },
    };
    expect(of(call)).toBeGreaterThan(100);
    expect(of(call)).toBeLessThan(125);
  });

  it('counts as the model does', () => {
    const text = 'The harbour was quiet when the first boats came back.';
    expect(estimateText(text, newer) / estimateText(text, older)).toBeCloseTo(1.3, 0);
  });
});

describe('estimateRequest', () => {
  it('counts the system prompt, tools and every message', () => {
    const text = 'word '.repeat(100);
    const system = { system: text, tools: [], messages: [] };
    const tools = [{ name: 'read', description: text, inputSchema: { type: 'object' } }];
    const messages = [
      { role: 'user' as const, parts: [{ type: 'text' as const, text }] },
      { role: 'assistant' as const, parts: [{ type: 'text' as const, text }] },
      { role: 'system' as const, text },
    ];
    const alone = estimateRequest(system, older);
    const whole = estimateRequest({ ...system, tools, messages }, older);
    expect(alone).toBeGreaterThan(95);
    expect(whole / alone).toBeGreaterThan(4.9);
    expect(whole / alone).toBeLessThan(5.6);
  });

  it('counts a deferred tool once a search has found it', () => {
    const description = 'word '.repeat(100);
    const late = { name: 'late', description, inputSchema: { type: 'object' } };
    const found = (name: string): AssistantPart => ({
      type: 'opaque',
      block: {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: name }],
        },
      },
    });
    const of = (...parts: AssistantPart[]): number =>
      estimateRequest(
        {
          system: '',
          tools: [{ ...late, deferred: true }],
          messages: [{ role: 'assistant', parts }],
        },
        older,
      );
    expect(of()).toBeLessThan(10);
    expect(of(found('late')) - of(found('lost'))).toBeGreaterThan(95);
    expect(of(found('late'), found('late')) - of(found('lost'), found('lost'))).toBeLessThan(125);
  });
});
