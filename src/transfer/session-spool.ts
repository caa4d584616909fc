import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { LineSplitter } from '../platform/text/line-splitter.js';
import { recordKinds, type RecordKind } from './record-kinds.js';

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
    // Without a name nothing of the file is left, whatever becomes of the process.
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
