import * as z from 'zod/mini';
import { wholeNumber } from '../../parsing/shapes.js';
import { efforts } from '../../storage/shapes/stored-thinking.js';
import { lifecycles, thinkingKinds } from '../model.js';

const text = z.string().check(z.regex(/^.{1,200}$/s, 'must be text of 1 to 200 characters'));
const count = wholeNumber(1, 1_000_000_000);
const dollars = z.number().check(z.minimum(0, 'must be a number of 0 or more'));
const flag = z.boolean();
const effort = z.enum(efforts);

const someOf = <T>(item: z.ZodMiniType<T>) =>
  z
    .array(item)
    .check(z.refine((items) => new Set(items).size === items.length, 'must have each value once'));

const rates = {
  input: dollars,
  output: dollars,
  cacheWrite5m: z.exactOptional(dollars),
  cacheWrite1h: z.exactOptional(dollars),
  cacheRead: z.exactOptional(dollars),
};

/** What an operator or a provider says of a model: any of its fields, but its id. */
export const modelShape = z.exactPartial(
  z.strictObject({
    name: text,
    lifecycle: z.enum(lifecycles),
    retiresAt: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')),
    replacement: text,
    contextWindow: count,
    maxOutput: count,
    thinking: someOf(z.enum(thinkingKinds)),
    thinksByDefault: z.enum(['always', 'on', 'off']),
    efforts: someOf(effort),
    effortsWithoutThinking: someOf(effort),
    defaultEffort: effort,
    takesSystemMessages: flag,
    bindsThinking: flag,
    seesImages: flag,
    readsPdfs: flag,
    structuredOutputs: flag,
    mostImages: wholeNumber(0, 100_000),
    serverTools: z.strictObject({ webSearch: flag, codeExecution: flag }),
    cacheMinimum: count,
    tokenScale: z
      .number()
      .check(z.refine((scale) => scale > 0 && scale <= 10, 'must be above 0 and at most 10')),
    price: z.strictObject({
      ...rates,
      longPrompt: z.exactOptional(z.strictObject({ ...rates, above: count })),
    }),
  }),
);
