import type { BlobStore } from '../attachments/blob-store.js';
import { unendedStatuses } from '../storage/shapes/stored-turn.js';
import type { ExportLine, RecordLine } from './parse-line.js';
import type { ImportLines } from './import-lines.js';
import { LineFault } from './parse-line.js';
import { memoryFileKind, sessionKind, turnKind } from './record-kinds.js';
import { encodeFields } from './record-shapes.js';
import type { SessionSpool } from './session-spool.js';

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
    if (line.type !== 'record' || line.kind !== sessionKind) {
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
      const isOwn = line.type === 'record' && line.kind !== memoryFileKind;
      if (isOwn) await this.#addRecord(line);
      else if (line.type === 'file') await this.#addFile(line, isKnown);
      else throw this.#fault(`must not come inside of a session: it has the type ${typeOf(line)}`);
    }
  }

  async #addRecord({ kind, fields }: RecordLine): Promise<void> {
    this.#lines += 1;
    if (kind === sessionKind) this.#enter(fields);
    else this.#checkOwner(fields['sessionId'], this.files, 'sessionId');
    if (kind === turnKind) this.#turns.add(String(fields['id']));
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
    if (kind !== turnKind || !isUnended(fields['status'])) return owned;
    this.unended.push(String(fields['id']));
    // A held turn that was asked to end is never run, and is ended by whoever finds it.
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
