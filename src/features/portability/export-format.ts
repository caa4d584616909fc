import * as z from 'zod/mini';
import {
  isPlainObject,
  type JsonLimits,
  JsonMeter,
  nameOf,
  packageVersion,
  parseJson,
  parseValue,
  plainNumbers,
  show,
} from '../../platform/face.js';
import { recordKinds, type RecordKind, checkOf } from './record-kinds.js';

/**
 * An export is lines of JSON: a header, sessions, an end. A session is a line `session`, its records and files,
 * the sessions of its subagents, and a line `session.end`. After the sessions come
 * the files of memories. `docs/operate/backup.md` describes it.
 */
const EXPORT_FORMAT = 'turnpike-export';

/** Version of the format: raised where an older server would misread a newer file. */
const EXPORT_VERSION = 1;

/** Bytes of a file in one line: they are a third longer in base64. */
export const FILE_PIECE_BYTES = 192 * 1024;

/** The lines that are no row of a table. */
type FrameLine =
  | { type: 'header'; format: string; version: number; server: string; at: string }
  /** A file of the session before it; its bytes follow, unless they are no longer stored. */
  | { type: 'file'; sha256: string; size: number; missing?: boolean }
  | { type: 'bytes'; data: string }
  /** The end of a session and of its subagents' sessions. */
  | { type: 'session.end'; sessionId: string; lines: number }
  /** The session was deleted while it was exported: its lines are void. */
  | { type: 'session.gone'; sessionId: string }
  /** `memoryFiles`: files of memories, after the sessions. Absent: none. */
  | { type: 'end'; sessions: number; memoryFiles?: number };

export function headerAt(at: string): FrameLine {
  const format = EXPORT_FORMAT;
  return { type: 'header', format, version: EXPORT_VERSION, server: packageVersion, at };
}

export function frameText(line: FrameLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** A line of an export that is a row. */
export interface RecordLine {
  type: 'record';
  kind: RecordKind;
  fields: Record<string, unknown>;
}

export type ExportLine = RecordLine | FrameLine;

/** A line that cannot be imported. */
export class LineFault extends Error {
  /** @param why completes `Line 7 …`. */
  constructor(
    readonly line: number,
    readonly why: string,
    /** Whether a newer version made the file. */
    readonly isNewer = false,
  ) {
    super(`Line ${line} ${why}`);
  }
}

/** Beyond any row, and read in a tenth of a second: others are served by the same event loop. */
const limits: JsonLimits = { levels: 200, keys: 10_000, values: 300_000 };

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'));
const count = z.int().check(z.minimum(0));
const frames: Readonly<Record<FrameLine['type'], z.core.$ZodType<FrameLine>>> = {
  header: z.object({
    type: z.literal('header'),
    format: z.literal(EXPORT_FORMAT),
    version: z.int().check(z.minimum(1)),
    server: z.string(),
    at: z.string(),
  }),
  file: z.object({
    type: z.literal('file'),
    sha256,
    size: count,
    missing: z.exactOptional(z.boolean()),
  }),
  bytes: z.object({ type: z.literal('bytes'), data: z.base64() }),
  'session.end': z.object({
    type: z.literal('session.end'),
    sessionId: z.string(),
    lines: count,
  }),
  'session.gone': z.object({ type: z.literal('session.gone'), sessionId: z.string() }),
  end: z.object({
    type: z.literal('end'),
    sessions: count,
    memoryFiles: z.exactOptional(count),
  }),
};

const checks = new Map([...recordKinds].map(([type, kind]) => [type, checkOf(kind)]));

/** Parses a line by its type. @throws LineFault. Pure. */
export function parseLine(text: string, line: number): ExportLine {
  const given = parseText(text, line);
  const type = isPlainObject(given) ? given['type'] : undefined;
  if (!isPlainObject(given) || typeof type !== 'string') {
    throw new LineFault(line, 'is not of an export: it has no type');
  }
  const kind = recordKinds.get(type);
  const check = checks.get(type);
  if (kind !== undefined && check !== undefined) {
    const row = given['row'];
    const fault = check(plainNumbers(row));
    // The row as it was given: the parser would put the keys of JSON values in another order.
    if (fault === undefined && isPlainObject(row)) return { type: 'record', kind, fields: row };
    throw new LineFault(
      line,
      `(${type}): '${nameOf(['row', ...(fault?.path ?? [])])}' ${fault?.message ?? ''}`,
    );
  }
  return parseFrame(given, type, line);
}

function parseFrame(given: Record<string, unknown>, type: string, line: number): FrameLine {
  if (!isFrameType(type))
    throw new LineFault(line, `has the type ${show(type)}, which is not known`);
  if (type === 'header') refuseNewer(given, line);
  const { value, faults = [] } = parseValue(frames[type], given);
  const [fault] = faults;
  if (value !== undefined) return value;
  throw new LineFault(line, `(${type}): '${nameOf(fault?.path ?? [])}' ${fault?.message ?? ''}`);
}

/** @throws LineFault for a header of a later version, whatever else it has. */
function refuseNewer({ format, version, server }: Record<string, unknown>, line: number): void {
  if (format !== EXPORT_FORMAT || typeof version !== 'number' || version <= EXPORT_VERSION) return;
  const by = typeof server === 'string' ? ` by Turnpike ${server.slice(0, 40)}` : '';
  const why = `says that the file was made${by} in version ${version} of the format; this server reads up to version ${EXPORT_VERSION}. Upgrade it, then import the file.`;
  throw new LineFault(line, why, true);
}

function isFrameType(type: string): type is FrameLine['type'] {
  return Object.hasOwn(frames, type);
}

function parseText(text: string, line: number): unknown {
  if (new JsonMeter(limits).add(Buffer.from(text)) !== undefined) {
    throw new LineFault(line, 'is nested too deep, or has too many values');
  }
  try {
    return parseJson(text);
  } catch {
    throw new LineFault(line, 'is not JSON');
  }
}
