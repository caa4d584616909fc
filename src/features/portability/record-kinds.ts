import { getTableColumns, getTableName, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as z from 'zod/mini';
import { memoryFiles } from '../../storage/file-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { tables, type TableOwner } from '../../storage/tables.js';
import type { turnArchives } from '../../storage/transcript-schema.js';
import { type Queryable, isStorable } from '../../storage/connection.js';
import { checkedBy, type Fault, isId, parseValue, wholeNumber } from '../../platform/face.js';
import { MEMORY_ROOT, parseMemoryPath } from '../../memory/memory-path.js';
import { askRuleShape } from '../../governance/permissions/approver-rules.js';
import { principalForm } from '../../access/face.js';
import storedTypes from './stored-types.json' with { type: 'json' };

/** Rows of a table, as records of an export. */
export interface RecordKind {
  /** The type of its lines. */
  type: string;
  table: PgTable;
  /** Columns of the lines by the names of their fields. */
  columns: Readonly<Record<string, PgColumn>>;
  /** What the rows are exported with. */
  of: TableOwner['of'];
  /** The column with its id. */
  owner: PgColumn;
  /** Order of the rows. */
  order: readonly PgColumn[];
}

const kinds = tables.flatMap(({ table, owner, exported }): RecordKind[] => {
  if (typeof exported === 'string' || owner === null) return [];
  const { as: type, order = [], without = [] } = exported;
  const all = Object.entries<PgColumn>(getTableColumns(table));
  const columns = Object.fromEntries(all.filter(([name]) => !without.includes(name)));
  const { of, column } = ownRow(table) ?? owner;
  return [{ type, table, columns, of, owner: column, order }];
});

/** A session and a turn are exported with what is theirs. */
function ownRow(table: PgTable): TableOwner | undefined {
  if (table === sessions) return { of: 'session', column: sessions.id };
  return table === turns ? { of: 'turn', column: turns.id } : undefined;
}

/** All kinds by the types of their lines. */
export const recordKinds: ReadonlyMap<string, RecordKind> = new Map(
  kinds.map((kind) => [kind.type, kind]),
);

/** A session, and what belongs to it and to no turn. */
export const sessionKinds = kinds.filter(({ of }) => of === 'session');
/** A turn, and what belongs to it. */
export const turnKinds = kinds.filter(({ of }) => of === 'turn');
/** A file of a memory, which belongs to no session. */
export const memoryFileKind = kindOf(memoryFiles);

function kindOf(table: PgTable): RecordKind {
  const found = kinds.find((kind) => kind.table === table);
  if (found === undefined) throw new Error(`${getTableName(table)} is not exported`);
  return found;
}

/** A record as the database words it: no value is parsed on its way into the file. */
export interface SelectedRecord {
  type: string;
  /** A JSON object of the row's fields, without line breaks. */
  row: string;
}

/**
 * Loads the rows of the kinds that belong to an owner, in the order of the kinds: one statement, which sees
 * them all at one moment.
 */
export async function selectRecords(
  db: Queryable,
  kinds: readonly RecordKind[],
  ownerId: string,
): Promise<SelectedRecord[]> {
  const selects = kinds.map((kind, index) => selectKind(kind, index, ownerId));
  const { rows } = await db.execute(sql`
    select type, "row" from (${sql.join(selects, sql` union all `)}) found order by part, place`);
  // A line break in a JSON text stands between its values.
  return (rows as SelectedRecord[]).map(({ type, row }) => ({
    type,
    row: row.includes('\n') ? row.replaceAll('\n', ' ') : row,
  }));
}

function selectKind(kind: RecordKind, part: number, ownerId: string): SQL {
  const { type, table, owner, order } = kind;
  const ordered = order.length === 0 ? sql`` : sql`order by ${sql.join([...order], sql`, `)}`;
  return sql`
    select ${part}::integer as part, row_number() over (${ordered}) as place, ${type}::text as type,
      ${selectColumns(kind)} as "row"
    from ${table} where ${owner} = ${ownerId}`;
}

/** The JSON text of a row's fields. */
export function selectColumns({ columns }: Pick<RecordKind, 'columns'>): SQL<string> {
  const fields = Object.entries(columns).map(
    ([name, column]) => sql`${fieldOf(column)} as ${sql.identifier(name)}`,
  );
  return sql<string>`(select row_to_json(r) from (select ${sql.join(fields, sql`, `)}) r)::text`;
}

/** Times are in UTC, to the microsecond, whatever the time zone of the connection. */
function fieldOf(column: PgColumn): SQL {
  return column.getSQLType().startsWith('timestamp')
    ? sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : sql`${column}`;
}

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
const rules = z.exactOptional(z.array(z.string()));
const askRules = z.exactOptional(z.array(askRuleShape(z.string())));
const place = { attempt: whole, seq: whole, at: instant };

/** Fields whose values queries, paths and folds rely on, beside their types. */
const own: Readonly<Record<string, Shape>> = {
  'session.id': idOf('sess'),
  'session.principalId': principal(),
  'session.permissions': z.strictObject({ allow: rules, ask: askRules, deny: rules }),
  'turn.id': idOf('turn'),
  'turn.principalId': principal(),
  'feedback.principalId': principal(),
  'feedback.key': z.string().check(z.regex(/^[\w.-]{1,64}$/, 'must be a key')),
  'feedback.value': z.union([z.boolean(), z.number(), text.check(z.minLength(1))]),
  'memoryFile.principalId': principal(),
  'memoryFile.agent': text.check(z.minLength(1), z.maxLength(200)),
  'memoryFile.path': z.string().check(checkedBy(memoryPathFault)),
  'approval.id': idOf('appr'),
  'events.events': z.array(z.looseObject(place)).check(z.minLength(1)),
};

function memoryPathFault(given: string): string | undefined {
  const parsed = parseMemoryPath(given);
  return 'path' in parsed && parsed.path === given && given !== MEMORY_ROOT
    ? undefined
    : `must be the path of a file below ${MEMORY_ROOT}`;
}

function principal(): Shape {
  return z.string().check(z.regex(principalForm, 'must be the id of a principal'));
}

/**
 * Checks the rows of a kind: each column by its type in the database, then the whole row by the type that the server
 * stores, so that whatever is imported is read as what was stored here.
 *
 * @returns the fault of a row, with the path of its field; undefined: none.
 */
export function checkOf(kind: RecordKind): (row: unknown) => Fault | undefined {
  const shape = shapeOf(kind);
  let isStored: ValidateFunction | undefined;
  return (row) => {
    const [fault] = parseValue(shape, row).faults ?? [];
    if (fault !== undefined) return fault;
    // Compiled for the first row: few processes import anything.
    isStored ??= ajv.compile({ ...storedTypes, $ref: `#/definitions/${kind.type}` });
    return isStored(row) ? disorderOf(kind, row) : faultOf(isStored.errors?.[0]);
  };
}

const ajv = new Ajv({ strict: false, discriminator: true, logger: false });

/** The names of definitions, which have a schema each. */
export const storedKinds: readonly string[] = Object.keys(storedTypes.definitions);

function faultOf(error: ErrorObject | undefined): Fault {
  const { instancePath = '', message = 'is not valid', keyword, params } = error ?? {};
  const field = instancePath.split('/').slice(1);
  if (keyword === 'discriminator') {
    const value = JSON.stringify(params?.['tagValue']);
    return { path: [...field, 'type'], message: `must be a type that is stored, not ${value}` };
  }
  if (keyword === 'required') {
    return { path: [...field, String(params?.['missingProperty'])], message: 'is missing' };
  }
  if (keyword === 'enum') {
    return { path: field, message: `must be one of ${JSON.stringify(params?.['allowedValues'])}` };
  }
  return { path: field, message };
}

/** The fault of events that are not of one attempt, or not in order: readers resume by their places. */
function disorderOf({ type }: RecordKind, row: unknown): Fault | undefined {
  if (type !== 'events') return undefined;
  const { attempt, firstSeq, events } = row as typeof turnArchives.$inferSelect;
  let seq = firstSeq - 1;
  for (const [index, event] of events.entries()) {
    const path = ['events', String(index)];
    if (event.attempt !== attempt) {
      return { path: [...path, 'attempt'], message: `must be ${attempt}, as that of its row` };
    }
    if (event.seq <= seq) {
      return { path: [...path, 'seq'], message: `must be greater than ${seq}, as it comes later` };
    }
    seq = event.seq;
  }
  return undefined;
}

/** The shape of a kind's rows, by the columns of its table. */
function shapeOf({ type, columns }: RecordKind): z.core.$ZodType<Record<string, unknown>> {
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
