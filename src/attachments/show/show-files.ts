import { compact } from '../../platform/compact.js';
import type { UserPart } from '../../provider/model-types.js';
import type { Requester } from '../extract/requester.js';
import type { BlobStore } from '../blobs/blob-store.js';
import {
  chooseShowing,
  maxNativeBytes,
  type Showing,
  type ShowingFacts,
} from './choose-showing.js';
import { mediaKind } from '../check/classify.js';
import type { TextOutcome } from '../extract/outcomes.js';
import type { Extractions } from '../extract/extractions.js';
import { decodeText, maxTextChars } from '../extract/text/decode-text.js';
import type { AttachmentRef, StoredPart } from './stored-part.js';
import { emptyNote, toContentBlock } from './to-content-block.js';
import type { ShownFile } from './shown-events.js';

export interface ShowDeps {
  store: Pick<BlobStore, 'get'>;
  extractions: Pick<Extractions, 'readText' | 'readImage' | 'countPages' | 'fitImage'>;
  /** Who wants them read. Default: the local user, who waits. */
  requester?: Requester;
  /** Keeps what was made of an image as long as the conversation. Default: nobody does. */
  keep?(sha256: string): Promise<void>;
}

export type ShowRules = Pick<ShowingFacts, 'wanted' | 'seesImages' | 'readsPdfs'> & {
  /** Images of a conversation: a request with more is refused. Absent: any number. */
  mostImages?: number;
  /** Most files of one message. Absent: no limit. */
  mostFiles?: number;
};

export interface ShownParts {
  parts: UserPart[];
  /** Of each file, in order, how it is shown. */
  files: ShownFile[];
}

/**
 * Shows the files of one conversation to the model: its newest message first, because room for
 * files as they are is given in the order they are asked for.
 */
export class FileShower {
  #bytesLeft = maxNativeBytes;
  #imagesLeft: number;

  constructor(
    private readonly deps: ShowDeps,
    private readonly rules: ShowRules,
  ) {
    this.#imagesLeft = rules.mostImages ?? Infinity;
  }

  /** What a user said, with its files. A file that cannot be shown leaves a note in its place. */
  async show(parts: readonly StoredPart[]): Promise<ShownParts> {
    const shown: ShownParts = { parts: [], files: [] };
    for (const part of parts) {
      if (part.type === 'text') {
        shown.parts.push(part);
        continue;
      }
      const { content, told } = await this.#showFile(part.file, shown.files.length);
      shown.parts.push(content);
      const { name, index } = part.file;
      shown.files.push({ ...compact({ name, index }), ...told });
    }
    return shown;
  }

  /**
   * Has everything read that showing them asks for, so that who shows them afterwards, with another
   * shower of the same rules, holds no bytes of theirs while it waits.
   */
  async extract(parts: readonly StoredPart[]): Promise<void> {
    const files = parts.flatMap((part) => (part.type === 'file' ? [part.file] : []));
    for (const [index, file] of files.entries()) await this.#plan(file, index);
  }

  async #showFile(file: AttachmentRef, index: number): Promise<Shown> {
    const plan = await this.#plan(file, index);
    if ('content' in plan) return plan;
    const bytes = await this.deps.store.get(plan.file.sha256);
    if (bytes === undefined) return unavailable(file, 'it is no longer stored');
    if (plan.as === 'document') return this.#showText(file, bytes);
    const { changed } = plan.file;
    if (changed !== undefined) await this.deps.keep?.(plan.file.sha256);
    return { content: toContentBlock(plan.file, bytes), told: compact({ as: plan.as, changed }) };
  }

  /** How a file is shown, with its text where it is that; else whose bytes are. */
  async #plan(sent: AttachmentRef, index: number): Promise<Shown | Plan> {
    const { mostFiles = Infinity } = this.rules;
    if (index >= mostFiles) {
      const limit = `${mostFiles} files are shown at once, which is the limit max_context_nodes`;
      return unavailable(sent, limit);
    }
    if (sent.size === 0) {
      return { content: emptyNote(sent), told: { as: 'nothing', why: 'The file is empty' } };
    }
    const fitted = await this.#fit(sent);
    if ('reason' in fitted) return unavailable(sent, fitted.reason);
    const { file } = fitted;
    const { extractions, requester } = this.deps;
    const showing = await this.#choose(file);
    if (showing.as === 'image-text') {
      return asText(file, await extractions.readImage(file.sha256, requester), showing.why);
    }
    if (showing.as === 'text') {
      const read = await extractions.readText(file.sha256, showing.source, requester);
      return asText(file, read, showing.why);
    }
    if (showing.as === 'nothing') return unavailable(file, showing.why);
    if (showing.as === 'image' && this.#imagesLeft === 0) {
      return unavailable(file, `the model takes ${this.rules.mostImages} images in a conversation`);
    }
    if (showing.as === 'document') {
      // No encoding gives so few characters for so many bytes: it is cut in any case, and not here.
      if (file.size > maxTextChars * 4) return this.#cutText(file, 'it is too long');
      return { as: 'document', file };
    }
    this.#bytesLeft -= file.size;
    if (showing.as === 'image') this.#imagesLeft -= 1;
    return { as: showing.as, file };
  }

  /** An image that the model will see, as it takes it. */
  async #fit(file: AttachmentRef): Promise<{ file: AttachmentRef } | { reason: string }> {
    const { wanted, seesImages } = this.rules;
    const isSeen = mediaKind(file.mimeType) === 'image' && wanted === 'native' && seesImages;
    // An upload that had to change was made fit when it came.
    if (!isSeen || file.changed !== undefined) return { file };
    const fitted = await this.deps.extractions.fitImage(file.sha256, this.deps.requester);
    if (fitted.type === 'refused') return { reason: fitted.reason };
    if (fitted.type === 'fits') return { file };
    const { sha256, size, mimeType, why: changed } = fitted;
    return { file: { ...file, sha256, size, mimeType, changed } };
  }

  async #choose(file: AttachmentRef): Promise<Showing> {
    const kind = mediaKind(file.mimeType);
    const { extractions, requester } = this.deps;
    const counted =
      kind === 'pdf' ? await extractions.countPages(file.sha256, requester) : undefined;
    if (counted?.type === 'refused') return { as: 'nothing', why: counted.reason };
    return chooseShowing(file, {
      ...this.rules,
      pages: counted?.pages,
      isLocked: counted?.isLocked === true,
      bytesLeft: this.#bytesLeft,
    });
  }

  /** Text is shown as it is; in another encoding, or too long, by what is read out of it. */
  async #showText(file: AttachmentRef, bytes: Buffer): Promise<Shown> {
    const text = decodeText(bytes);
    if (text !== undefined && text.length <= maxTextChars) {
      return { content: toContentBlock(file, bytes), told: { as: 'document' } };
    }
    return this.#cutText(file, text === undefined ? 'it is not UTF-8' : 'it is too long');
  }

  async #cutText(file: AttachmentRef, why: string): Promise<Shown> {
    const source = file.mimeType === 'text/csv' ? 'csv' : 'text';
    const { extractions, requester } = this.deps;
    return asText(file, await extractions.readText(file.sha256, source, requester), why);
  }
}

/** Whose bytes a file is shown by. */
interface Plan {
  as: 'image' | 'pdf' | 'document';
  file: AttachmentRef;
}

interface Shown {
  content: UserPart;
  told: Omit<ShownFile, 'name'>;
}

function asText(file: AttachmentRef, read: TextOutcome, why: string): Shown {
  if (read.type === 'refused') return unavailable(file, read.reason);
  const { type: _type, text: found, isPassing: _isPassing, ...facts } = read;
  const told = { as: 'text' as const, why, ...facts };
  if (found.trim() === '') return { content: emptyNote(file), told };
  const title = facts.via === 'ocr' ? `${file.name} (text read by OCR)` : file.name;
  const notes = [
    ...(facts.isCut ? [`The rest of ${file.name} is cut off here.`] : []),
    ...(facts.doubt === undefined ? [] : [`Of ${file.name}: ${facts.doubt}.`]),
  ];
  const text = [found, ...notes.map((note) => `[${note}]`)].join('\n');
  return { content: { type: 'document', title, text }, told };
}

/** It must not end a conversation that goes on without it. */
function unavailable(file: AttachmentRef, reason: string): Shown {
  return {
    content: { type: 'text', text: `[Attachment "${file.name}" cannot be shown: ${reason}]` },
    told: { as: 'nothing', why: reason },
  };
}
