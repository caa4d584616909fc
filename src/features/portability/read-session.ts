import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LineSplitter } from '../../platform/face.js';
import type { BlobStore } from '../../attachments/face.js';
import { sessions, turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { LineFault, parseLine, type ExportLine, type RecordLine } from './export-format.js';
import { encodeFields, recordKinds, type RecordKind } from './record-kinds.js';

/** Most bytes of a line. A row is far smaller: bodies, replies and outputs are bounded. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const newline = 0x0a;

/** The lines of a file, one after the other. */
export class ImportLines {
  readonly #lines: AsyncIterator<string>;
  /** Number of the last line, from 1. */
  number = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = this.#split(bytes);
  }

  /** @throws LineFault, also where the file ends; what the bytes throw. */
  async next(): Promise<ExportLine> {
    const line = await this.#lines.next();
    this.number += 1;
    if (line.done === true) {
      throw new LineFault(this.number, 'is missing: the file was cut off. Export it again');
    }
    return parseLine(line.value, this.number);
  }

  /** Ends the reading of bytes that are still to come. */
  async close(): Promise<void> {
    await this.#lines.return?.();
  }

  async *#split(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const tooLong = (most: number): LineFault =>
      new LineFault(this.number + 1, `is longer than ${most} bytes`);
    const splitter = new LineSplitter(MAX_LINE_BYTES, tooLong);
    for await (const bytesRead of bytes) {
      const chunk = Buffer.from(bytesRead);
      // Line by line, so that the number of a line that is too long is right.
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(newline, from);
        const next = end === -1 ? chunk.length : end + 1;
        yield* splitter.push(chunk.subarray(from, next));
        from = next;
      }
    }
    const rest = splitter.end();
    if (rest !== '') yield rest;
  }
}

export interface ReadSessionDeps {
  contents: Pick<BlobStore, 'put'>;
  /** The owner; undefined: the file's. */
  principalId: string | undefined;
  /** The time of the import, ISO-8601. */
  at: string;
}

type FileLine = Extract<ExportLine, { type: 'file' }>;

/**
 * Reads one session of a file, with the sessions of its subagents, into the spool. Rows may only refer to
 * sessions and turns of the same file's session: no line reaches what is here already.
 */
export class ReadSession {
  /** Hashes of the files of each session. */
  readonly files = new Map<string, string[]>();
  /** Turns that had not ended, in the order of the file. */
  readonly unended: string[] = [];
  readonly #turns = new Set<string>();
  /** The session that files belong to: the last one. */
  #current = '';
  #rootId = '';
  #first: RecordLine | undefined;
  #lines = 0;

  constructor(
    private readonly source: ImportLines,
    private readonly spool: Pick<SessionSpool, 'add'>,
    private readonly deps: ReadSessionDeps,
  ) {}

  /** @returns the id of the session that a line begins. @throws LineFault. */
  begin(line: ExportLine): string {
    if (line.type !== 'record' || line.kind.table !== sessions) {
      throw this.#fault(`must begin a session or end the file; it has the type ${typeOf(line)}`);
    }
    if (line.fields['parentTurnId'] !== null) {
      throw this.#fault('is the session of a subagent, outside of that of its parent');
    }
    this.#first = line;
    this.#rootId = String(line.fields['id']);
    return this.#rootId;
  }

  /**
   * Reads the lines up to the session's end.
   *
   * @param isKnown the session is here already: its lines are checked, and nothing of it is kept.
   * @returns false for a session that was deleted while it was exported.
   * @throws LineFault.
   */
  async readRest(isKnown: boolean): Promise<boolean> {
    if (this.#first !== undefined) await this.#addRecord(this.#first);
    for (;;) {
      const line = await this.source.next();
      if (line.type === 'session.gone') return false;
      if (line.type === 'session.end') {
        this.#lines += 1;
        if (line.sessionId === this.#rootId && line.lines === this.#lines) return true;
        const found = `${this.#rootId} with ${this.#lines} lines`;
        throw this.#fault(`ends ${line.sessionId} with ${line.lines} lines, and not ${found}`);
      }
      const isOwn = line.type === 'record' && line.kind.of !== 'principal';
      if (isOwn) await this.#addRecord(line);
      else if (line.type === 'file') await this.#addFile(line, isKnown);
      else throw this.#fault(`must not come inside of a session: it has the type ${typeOf(line)}`);
    }
  }

  async #addRecord({ kind, fields }: RecordLine): Promise<void> {
    this.#lines += 1;
    if (kind.table === sessions) this.#enter(fields);
    else this.#checkOwner(fields['sessionId'], this.files, 'sessionId');
    if (kind.table === turns) this.#turns.add(String(fields['id']));
    this.#checkOwner(fields['turnId'], this.#turns, 'turnId');
    this.#checkOwner(fields['parentTurnId'], this.#turns, 'parentTurnId');
    await this.spool.add(kind, this.source.number, encodeFields(kind, this.#adopt(kind, fields)));
  }

  #enter(fields: Readonly<Record<string, unknown>>): void {
    this.#current = String(fields['id']);
    this.files.set(this.#current, []);
  }

  /** @throws LineFault for an id that is not of this session; null and absent ones are none. */
  #checkOwner(id: unknown, known: { has(id: string): boolean }, field: string): void {
    if (id === undefined || id === null || (typeof id === 'string' && known.has(id))) return;
    throw this.#fault(`has a '${field}' that no line of its session before it has`);
  }

  /** The fields as they are stored here. */
  #adopt(kind: RecordLine['kind'], fields: RecordLine['fields']): RecordLine['fields'] {
    const { principalId, at } = this.deps;
    const isOwned = 'principalId' in kind.columns;
    const owned = isOwned && principalId !== undefined ? { ...fields, principalId } : fields;
    if (kind.table !== turns || !isUnended(fields['status'])) return owned;
    this.unended.push(String(fields['id']));
    // A held turn that was asked to end is never run, and is ended by the process that finds it.
    const cancel = { cancelRequestedAt: at, cancelReason: 'imported' };
    return { ...owned, ...cancel, status: 'held', hasNext: false };
  }

  async #addFile(file: FileLine, isKnown: boolean): Promise<void> {
    this.#lines += 1;
    if (file.missing === true) return;
    const bytes = this.#bytes(file.size);
    if (isKnown) {
      for await (const _ of bytes);
      return;
    }
    const { sha256 } = await this.deps.contents.put(bytes);
    if (sha256 !== file.sha256) {
      throw this.#fault(`ends the bytes of the file ${file.sha256}, whose hash is ${sha256}`);
    }
    this.files.get(this.#current)?.push(sha256);
  }

  async *#bytes(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      const line = await this.source.next();
      this.#lines += 1;
      if (line.type !== 'bytes') throw this.#fault(`must be one of bytes: ${left} are missing`);
      const piece = Buffer.from(line.data, 'base64');
      left -= piece.length;
      if (left < 0 || piece.length === 0) throw this.#fault('has other bytes than its file');
      yield piece;
    }
  }

  #fault(why: string): LineFault {
    return new LineFault(this.source.number, why);
  }
}

function isUnended(status: unknown): boolean {
  return unendedStatuses.some((unended) => unended === status);
}

function typeOf(line: ExportLine): string {
  return line.type === 'record' ? line.kind.type : line.type;
}

/** Rows of one statement at most. */
const BATCH_ROWS = 100;
/** Characters of one statement's rows, about. */
const BATCH_CHARS = 1_000_000;
/** Characters that are written at a time. */
const WRITE_CHARS = 256 * 1024;

/** Bytes that are read at a time. */
const READ_BYTES = 256 * 1024;

/** Rows of one kind that follow on each other in the file. */
export interface RecordBatch {
  kind: RecordKind;
  rows: unknown[][];
  /** Numbers of the first and last line. */
  lines: [first: number, last: number];
}

/**
 * The rows of a session, in a temporary file until the session is whole: its sender may be slow, and a
 * transaction must not wait for it.
 */
export class SessionSpool {
  #buffer = '';

  private constructor(private readonly file: FileHandle) {}

  static async open(): Promise<SessionSpool> {
    const name = path.join(tmpdir(), `turnpike-import-${randomUUID()}`);
    const file = await open(name, 'wx+', 0o600);
    // A file without a name is gone when the process ends, also by a crash.
    await rm(name);
    return new SessionSpool(file);
  }

  async add(kind: RecordKind, line: number, values: readonly unknown[]): Promise<void> {
    this.#buffer += `${JSON.stringify([kind.type, line, values])}\n`;
    if (this.#buffer.length >= WRITE_CHARS) await this.#flush();
  }

  /** Forgets the rows, for the next session. */
  async clear(): Promise<void> {
    this.#buffer = '';
    await this.file.truncate(0);
  }

  async *batches(): AsyncGenerator<RecordBatch> {
    await this.#flush();
    let batch: RecordBatch | undefined;
    let chars = 0;
    for await (const text of this.#lines()) {
      const [type, line, values] = JSON.parse(text) as [string, number, unknown[]];
      const kind = recordKinds.get(type);
      if (kind === undefined) throw new Error(`No kind ${type} was stored`);
      const isFull = batch?.rows.length === BATCH_ROWS || chars >= BATCH_CHARS;
      if (batch !== undefined && (batch.kind !== kind || isFull)) {
        yield batch;
        batch = undefined;
      }
      if (batch === undefined) {
        batch = { kind, rows: [], lines: [line, line] };
        chars = 0;
      }
      batch.rows.push(values);
      batch.lines[1] = line;
      chars += text.length;
    }
    if (batch !== undefined) yield batch;
  }

  /** Not by the file's own reader, which listens to the file once for each session. */
  async *#lines(): AsyncGenerator<string> {
    const splitter = new LineSplitter(Infinity, () => new Error('No line is too long'));
    for (let position = 0; ;) {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await this.file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield* splitter.push(buffer.subarray(0, bytesRead));
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** At the file's end, wherever a reader left its position. */
  async #flush(): Promise<void> {
    const { size } = await this.file.stat();
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    for (let written = 0; written < bytes.length;) {
      const at = size + written;
      written += (await this.file.write(bytes, written, bytes.length - written, at)).bytesWritten;
    }
  }
}
