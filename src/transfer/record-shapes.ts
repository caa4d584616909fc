import type { PgColumn } from 'drizzle-orm/pg-core';
import * as z from 'zod/mini';
import { checkedBy, wholeNumber } from '../parsing/shapes.js';
import { isId } from '../platform/ids.js';
import { MEMORY_ROOT, parseMemoryPath } from '../memory/memory-path.js';
import { approvalDecisions } from '../storage/governance-schema.js';
import { sessionOrigins } from '../storage/schema.js';
import { toolStatuses } from '../storage/shapes/stored-step.js';
import { turnStatuses } from '../storage/shapes/stored-turn.js';
import { isStorable } from '../storage/storable.js';
import type { RecordKind } from './record-kinds.js';

type Shape = z.core.$ZodType;

const text = z
  .string()
  .check(checkedBy((value) => (isStorable(value) ? undefined : 'has characters that no text has')));
const instant = z
  .string()
  .check(
    checkedBy((value) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value) &&
      !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a time in UTC, as 2026-01-31T12:00:00.000000Z',
    ),
  );
const whole = wholeNumber(-2_147_483_648, 2_147_483_647, 'must be a whole number');
const idOf = (prefix: string): Shape =>
  z
    .string()
    .check(
      checkedBy((value) => (isId(prefix, value) ? undefined : `must be an id, as ${prefix}_…`)),
    );
const parts = z.array(z.looseObject({ type: z.string() }));
const place = { attempt: whole, seq: whole, type: z.string(), at: z.string() };

/** Fields whose values queries, paths and folds rely on, beside the types of their columns. */
const own: Readonly<Record<string, Shape>> = {
  'session.id': idOf('sess'),
  'session.origin': z.enum(sessionOrigins),
  'session.principalId': principal(),
  'turn.id': idOf('turn'),
  'turn.status': z.enum(turnStatuses),
  'turn.principalId': principal(),
  'turn.request': z.looseObject({ message: z.string() }),
  'turn.options': z.looseObject({ options: z.looseObject({}), provenance: z.looseObject({}) }),
  'message.role': z.enum(['user', 'assistant']),
  'message.parts': parts,
  'steered.text': z.string(),
  'step.parts': parts,
  'call.status': z.enum(['claimed', 'refused', ...toolStatuses]),
  'call.output': z.nullable(z.string()),
  'call.outcome': z.nullable(z.enum(['success', 'error'])),
  'feedback.principalId': principal(),
  'feedback.key': z.string().check(z.regex(/^[\w.-]{1,64}$/, 'must be a key')),
  'feedback.value': z.union([z.boolean(), z.number(), text]),
  'memoryFile.principalId': principal(),
  'memoryFile.agent': text.check(z.minLength(1), z.maxLength(200)),
  'memoryFile.path': z.string().check(checkedBy(memoryPathFault)),
  'approval.id': idOf('appr'),
  'approval.kind': z.enum(['tool', 'unknown-outcome', 'client-tool']),
  'approval.decision': z.nullable(z.enum(approvalDecisions)),
  'events.events': z.array(z.looseObject(place)).check(z.minLength(1)),
};

function memoryPathFault(given: string): string | undefined {
  const parsed = parseMemoryPath(given);
  return 'path' in parsed && parsed.path === given && given !== MEMORY_ROOT
    ? undefined
    : `must be the path of a file below ${MEMORY_ROOT}`;
}

function principal(): Shape {
  return z.string().check(z.regex(/^[\w.@-]{1,64}$/, 'must be the name of a principal'));
}

/** The shape of a kind's rows, by the columns of its table. */
export function shapeOf({ type, columns }: RecordKind): z.core.$ZodType<Record<string, unknown>> {
  const fields = Object.entries(columns).map(([name, column]): [string, Shape] => {
    const shape = own[`${type}.${name}`] ?? shapeOfColumn(column);
    const filled = column.notNull ? shape : z.nullable(shape);
    // Columns that later versions added are missing from files of earlier ones.
    return [name, column.notNull && !column.hasDefault ? filled : z.optional(filled)];
  });
  return z.strictObject(Object.fromEntries(fields));
}

function shapeOfColumn(column: PgColumn): Shape {
  const type = column.getSQLType();
  if (type === 'text') return text;
  if (type === 'integer') return whole;
  if (type === 'boolean') return z.boolean();
  if (type.startsWith('timestamp')) return instant;
  if (type === 'json') return z.unknown();
  throw new Error(`A column of the type ${type} has no shape`);
}

/** A row's values in the order of the kind's columns, as the database takes them. */
export function encodeFields(
  { columns }: RecordKind,
  fields: Readonly<Record<string, unknown>>,
): unknown[] {
  return Object.entries(columns).map(([name, column]) => {
    const value = fields[name] ?? (column.hasDefault ? (column.default ?? null) : null);
    // NULL of JSON, where the column takes no other.
    const isJson = column.getSQLType() === 'json' && (value !== null || column.notNull);
    return isJson ? JSON.stringify(value) : value;
  });
}
