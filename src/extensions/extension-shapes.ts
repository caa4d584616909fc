import * as z from 'zod/mini';
import { checkedBy, filledText, onWrongType } from '../parsing/shapes.js';
import { isServerToolName } from '../provider/model-types.js';

/** Shapes of what extensions register. An object may be an instance of a class, with methods. */

type Callable = (...given: never[]) => unknown;

export const functionShape = z.custom<Callable>(
  (given) => typeof given === 'function',
  'must be a function',
);

const object = { error: onWrongType('must be an object') };

export const treeName = z
  .string('must be text')
  .check(z.regex(/^[a-z0-9_-]{1,64}$/, 'must have 1 to 64 of a-z 0-9 _ -'));

export const triggerShape = z.object(
  {
    id: z
      .string('must be text')
      .check(z.regex(/^[a-z0-9-]{1,64}$/, 'must have 1 to 64 of a-z 0-9 -')),
    priority: z.optional(z.number()),
    levels: z.optional(z.array(z.enum(['message', 'step']))),
    check: functionShape,
  },
  object,
);

/** The registry checks the rest of a tool's name, and its schema. */
export const toolShape = z.object(
  {
    name: z.string().check(
      checkedBy((name) => {
        if (name.startsWith('mcp__')) return 'begins with mcp__, as those of MCP servers do';
        return isServerToolName(name) ? 'is taken by a tool of the provider' : undefined;
      }),
    ),
    description: filledText(),
    inputSchema: z.record(z.string(), z.unknown(), 'must be a JSON Schema'),
    effect: z.optional(z.enum(['read', 'edit', 'command'])),
    retry: z.optional(z.enum(['safe', 'idempotent', 'never'])),
    permissionArgument: z.optional(
      z.object({ name: z.string(), kind: z.enum(['command', 'path', 'text']) }, object),
    ),
    run: functionShape,
  },
  object,
);
