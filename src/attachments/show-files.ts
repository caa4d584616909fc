import type { UserPart } from '../provider/model-types.js';
import type { BlobStore } from './blobs/blob-store.js';
import {
  chooseShowing,
  maxNativeBytes,
  type Showing,
  type ShowingFacts,
} from './choose-showing.js';
import { mediaKind } from './classify.js';
import type { TextOutcome } from './extract/outcomes.js';
import type { Extractions } from './extractions.js';
import { decodeText, maxTextChars } from './read-text.js';
import { SNIFF_BYTES, sniffType } from './sniff-type.js';
import type { AttachmentRef, StoredPart } from './stored-part.js';
import { emptyNote, toContentBlock } from './to-content-block.js';
import type { ShownFile } from './tell-shown.js';

export interface ShowDeps {
  store: Pick<BlobStore, 'get'>;
  extractions: Pick<Extractions, 'readText' | 'readImage' | 'countPages'>;
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
      const { content, told } =
        shown.files.length < (this.rules.mostFiles ?? Infinity)
          ? await this.#showFile(part.file)
          : unavailable(
              part.file,
              `${this.rules.mostFiles} files are shown at once, which is the limit max_context_nodes`,
            );
      shown.parts.push(content);
      shown.files.push({ name: part.file.name, ...told });
    }
    return shown;
  }

  async #showFile(file: AttachmentRef): Promise<Shown> {
    const showing = await this.#choose(file);
    if (showing.as === 'image-text') {
      return asText(file, await this.deps.extractions.readImage(file.sha256), showing.why);
    }
    if (showing.as === 'text') {
      const read = await this.deps.extractions.readText(file.sha256, showing.source);
      return asText(file, read, showing.why);
    }
    if (showing.as === 'nothing') return unavailable(file, showing.why);
    if (showing.as === 'image' && this.#imagesLeft === 0) {
      return unavailable(file, `the model takes ${this.rules.mostImages} images in a conversation`);
    }
    // No encoding gives so few characters for so many bytes: it is cut in any case, and not here.
    if (showing.as === 'document' && file.size > maxTextChars * 4) {
      return this.#cutText(file, 'it is too long');
    }
    const bytes = await this.deps.store.get(file.sha256);
    if (bytes === undefined) return unavailable(file, 'it is no longer stored');
    if (showing.as === 'document') return this.#showText(file, bytes);
    if (showing.as === 'image' && !(await isImage(bytes))) {
      return unavailable(file, 'its content is no image');
    }
    this.#bytesLeft -= file.size;
    if (showing.as === 'image') this.#imagesLeft -= 1;
    const { changed } = file;
    const told = changed === undefined ? {} : { changed };
    return { content: toContentBlock(file, bytes), told: { as: showing.as, ...told } };
  }

  async #choose(file: AttachmentRef): Promise<Showing> {
    const kind = mediaKind(file.mimeType);
    if (file.size === 0) return { as: 'document' };
    const counted =
      kind === 'pdf' ? await this.deps.extractions.countPages(file.sha256) : undefined;
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
    return asText(file, await this.deps.extractions.readText(file.sha256, source), why);
  }
}

async function isImage(bytes: Buffer): Promise<boolean> {
  return (await sniffType(bytes.subarray(0, SNIFF_BYTES)))?.mimeType.startsWith('image/') === true;
}

interface Shown {
  content: UserPart;
  told: Omit<ShownFile, 'name'>;
}

function asText(file: AttachmentRef, read: TextOutcome, why: string): Shown {
  if (read.type === 'refused') return unavailable(file, read.reason);
  const { via, isCut, pages } = read;
  const told = { as: 'text' as const, why, via, isCut, ...(pages === undefined ? {} : { pages }) };
  if (read.text.trim() === '') return { content: emptyNote(file), told };
  const title = via === 'ocr' ? `${file.name} (text read by OCR)` : file.name;
  const text = isCut ? `${read.text}\n[The rest of ${file.name} is cut off here.]` : read.text;
  return { content: { type: 'document', title, text }, told };
}

/** It must not end a conversation that goes on without it. */
function unavailable(file: AttachmentRef, reason: string): Shown {
  return {
    content: { type: 'text', text: `[Attachment "${file.name}" cannot be shown: ${reason}]` },
    told: { as: 'nothing', why: reason },
  };
}
