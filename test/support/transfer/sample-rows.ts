import { getTableColumns } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { newId } from '../../../src/platform/ids.js';
import type { Database } from '../../../src/storage/connection.js';
import { memories } from '../../../src/storage/file-schema.js';
import { recordKinds } from '../../../src/features/portability/record-kinds.js';
import storedTypes from '../../../src/features/portability/stored-types.json' with { type: 'json' };

type Schema = Readonly<Record<string, unknown>>;
const definitions = storedTypes.definitions as Readonly<Record<string, Schema>>;

/** Levels of a sample: some types contain themselves. */
const DEEPEST = 6;

/** A value of a type with all of its fields; of a list of several kinds, one of each. */
export function sampleOf(schema: Schema, level = 0): unknown {
  const { $ref, const: constant, enum: values, type, items, oneOf, anyOf } = schema;
  if (typeof $ref === 'string')
    return sampleOf(definitions[$ref.split('/').at(-1) ?? ''] ?? {}, level);
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values.find((value) => value !== null);
  const members = (oneOf ?? anyOf) as Schema[] | undefined;
  if (members !== undefined) return sampleOf(members.find(isFilled) ?? {}, level);
  const [first] = [type].flat().filter((one) => one !== 'null');
  if (first === 'string') return 'text';
  if (first === 'number' || first === 'integer') return 1;
  if (first === 'boolean') return true;
  if (first === 'array') return level > DEEPEST ? [] : sampleList(items as Schema, level + 1);
  if (first === 'object') return sampleFields(schema, level + 1);
  return { any: ['value', 1.5, null] };
}

const isFilled = ({ type }: Schema): boolean => type !== 'null';

function sampleList(items: Schema, level: number): unknown[] {
  const { $ref } = items;
  const named = typeof $ref === 'string' ? definitions[$ref.split('/').at(-1) ?? ''] : items;
  const { oneOf } = (named ?? {}) as { oneOf?: Schema[] };
  return (oneOf ?? [items]).map((one) => sampleOf(one, level));
}

function sampleFields({ properties = {}, required = [] }: Schema, level: number): unknown {
  const fields = Object.entries(properties as Record<string, Schema>);
  const needed = required as readonly string[];
  return Object.fromEntries(
    fields
      .filter(([name]) => level <= DEEPEST || needed.includes(name))
      .map(([name, schema]) => [name, sampleOf(schema, level)]),
  );
}

/** Fields with a meaning that their type does not tell, by the type of the line. */
const meant: Readonly<Record<string, unknown>> = {
  'session.expiresAfterMs': null,
  'session.principalId': 'local',
  'turn.status': 'completed',
  'turn.principalId': 'local',
  'approval.decidedBy': 'approvers',
  'feedback.principalId': 'local',
  'feedback.value': 4.5,
  'memoryFile.principalId': 'local',
  'memoryFile.agent': 'KEEPER',
  'memoryFile.path': '/memories/notes',
};

const prefixes: Readonly<Record<string, string>> = {
  session: 'sess',
  turn: 'turn',
  message: 'msg',
  approval: 'appr',
};

/** Stores a row of every kind of an export, in one session. @returns the ids of the session and its turn. */
export async function storeEveryKind(db: Database): Promise<{ sessionId: string; turnId: string }> {
  const sessionId = newId('sess');
  const turnId = newId('turn');
  const known: Readonly<Record<string, unknown>> = {
    sessionId,
    turnId,
    parentTurnId: null,
    replayOf: null,
  };
  await db.insert(memories).values({ principalId: 'local', agent: 'KEEPER', revision: 1 });
  for (const kind of recordKinds.values()) {
    const sample = sampleOf(definitions[kind.type] ?? {}) as Record<string, unknown>;
    const row = Object.fromEntries(
      Object.entries<PgColumn>(getTableColumns(kind.table)).map(([name, column]) => {
        if (name === 'id' && kind.type === 'session') return [name, sessionId];
        if (name === 'id' && kind.type === 'turn') return [name, turnId];
        if (name === 'id') return [name, newId(prefixes[kind.type] ?? kind.type)];
        if (Object.hasOwn(known, name)) return [name, known[name]];
        const key = `${kind.type}.${name}`;
        if (Object.hasOwn(meant, key)) return [name, meant[key]];
        if (column.getSQLType().startsWith('timestamp')) return [name, new Date(1_700_000_000_123)];
        if (name in sample) return [name, sample[name]];
        return [name, column.getSQLType() === 'integer' && column.notNull ? 1 : null];
      }),
    );
    await db.insert(kind.table).values(kind.type === 'events' ? inOrder(row) : row);
  }
  return { sessionId, turnId };
}

/** Events have their places in the turn. */
function inOrder(row: Record<string, unknown>): Record<string, unknown> {
  const events = (row['events'] as object[]).map((event, index) => ({
    ...event,
    attempt: row['attempt'],
    seq: index + 1,
    at: '2026-01-01T00:00:00.000Z',
  }));
  return { ...row, events };
}
