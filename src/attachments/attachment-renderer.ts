import type { AttachmentRef, StoredPart } from '../storage/shapes/stored-step.js';
import { compact } from '../platform/compact.js';
import type { UserPart } from '../provider/model-types.js';
import { assertNever } from '../platform/assert-never.js';
import type { Requester } from './file-memory.js';
import type { BlobStore } from './blob-store.js';
import { manyImages, maxImageSide, maxSideOfMany } from './file-limits.js';
import {
  chooseDisplay,
  maxNativeBytes,
  type LimitedText,
  type DisplayForm,
  type DisplayFacts,
  type ShownFile,
} from './choose-display.js';
import { mediaKind, effectiveMime } from './check-file.js';
import type { TextOutcome } from './extract/extraction-types.js';
import type { Extractions } from './extract/extractions.js';
import { decodeStrictly } from '../platform/text/well-formed.js';

/** Characters of one text that the model is shown; about 100,000 tokens. */
export const maxTextChars = 400_000;

export interface ShowDeps {
  store: Pick<BlobStore, 'get'>;
  extractions: Pick<Extractions, 'extractText' | 'extractImageText' | 'countPages' | 'fitImage'>;
  /** Requester of the extraction. Default: the local user, whose waits are plain. */
  requester?: Requester;
  /** Keeps a changed image in the store as long as the session. Default: not kept. */
  keep?(sha256: string): Promise<void>;
}

export type ShowRules = Pick<DisplayFacts, 'preferredForm' | 'seesImages' | 'readsPdfs'> & {
  /** Most images, and pages of PDFs, of a conversation: the provider refuses more. Absent: no limit. */
  maxImages?: number;
  /** Images that the conversation has. Absent: few. */
  images?: number;
  /** Most files of one message. Absent: no limit. */
  maxFiles?: number;
};

export interface ShownParts {
  parts: UserPart[];
  /** The form in which each file is shown, in the order of the files. */
  files: ShownFile[];
}

/**
 * Shows the files of one conversation to the model. Messages are shown newest first: the limits for
 * unchanged files are spent in the order of the calls.
 */
export class AttachmentRenderer {
  #bytesLeft = maxNativeBytes;
  /** Images and pages. */
  #pagesLeft: number;
  readonly #maxSide: number;

  constructor(
    private readonly deps: ShowDeps,
    private readonly rules: ShowRules,
  ) {
    const { maxImages = Infinity, images = 0 } = rules;
    this.#pagesLeft = maxImages;
    this.#maxSide = Math.min(images, maxImages) > manyImages ? maxSideOfMany : maxImageSide;
  }

  /** A user message with its files; a note stands in place of a file that cannot be shown. */
  async show(parts: readonly StoredPart[]): Promise<ShownParts> {
    const shown: ShownParts = { parts: [], files: [] };
    for (const part of parts) {
      if (part.type === 'text') {
        shown.parts.push(part);
        continue;
      }
      const { content, facts } = await this.#showFile(part.file, shown.files.length);
      shown.parts.push(content);
      const { name, index } = part.file;
      shown.files.push({ ...compact({ name, index }), ...facts });
    }
    return shown;
  }

  /**
   * Extracts all that showing the files of a message or an output will need. A second renderer of the same rules then shows them
   * without a wait, during which their bytes would stay in memory.
   */
  async extract(files: readonly AttachmentRef[]): Promise<void> {
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
    const limit = plan.file.sha256 === file.sha256 ? undefined : this.#scaled(changed);
    const facts = compact({ as: plan.as, changed, limit });
    return { content: toContentBlock(plan.file, bytes), facts };
  }

  /** The shown file where it is text or a note; else the file whose bytes are shown. */
  async #plan(sent: AttachmentRef, index: number): Promise<Shown | Plan> {
    const { maxFiles = Infinity } = this.rules;
    if (index >= maxFiles) {
      const limit = `${maxFiles} files are shown at once, which is the limit max_context_nodes`;
      return unavailable(sent, limit);
    }
    if (sent.size === 0) {
      return { content: emptyNote(sent), facts: { as: 'nothing', why: 'The file is empty' } };
    }
    const fitted = await this.#fit(sent);
    if ('reason' in fitted) return unavailable(sent, fitted.reason);
    const { file } = fitted;
    const { extractions, requester } = this.deps;
    const showing = await this.#choose(file);
    if (showing.as === 'image-text') {
      const read = await extractions.extractImageText(file.sha256, requester);
      return limited(asText(file, read, showing.why), showing);
    }
    if (showing.as === 'text') {
      const extracted = await extractions.extractText(file.sha256, showing.source, requester);
      return limited(asText(file, extracted, showing.why), showing);
    }
    if (showing.as === 'nothing') return unavailable(file, showing.why);
    if (showing.as === 'image' && this.#pagesLeft === 0) {
      const reason = `the model takes ${this.rules.maxImages} images and pages in a conversation`;
      return unavailable(file, reason, `Left out, as ${reason}`);
    }
    if (showing.as === 'document') {
      // No encoding has more than four bytes a character: the text is too long in any case.
      if (file.size > maxTextChars * 4) return this.#cutText(file, 'it is too long');
      return { as: 'document', file };
    }
    this.#bytesLeft -= file.size;
    if (showing.as === 'image') this.#pagesLeft -= 1;
    if (showing.as === 'pdf') this.#pagesLeft -= showing.pages;
    return { as: showing.as, file };
  }

  /** Fits an image to the model's limits, if the model will see it as an image. */
  async #fit(file: AttachmentRef): Promise<{ file: AttachmentRef } | { reason: string }> {
    const { preferredForm, seesImages } = this.rules;
    const isSeen = mediaKind(file.mimeType) === 'image' && preferredForm === 'native' && seesImages;
    // An upload that had to change was fitted when it came, to the limits of few.
    if (!isSeen || (file.changed !== undefined && this.#maxSide === maxImageSide)) return { file };
    const { extractions, requester } = this.deps;
    const fitted = await extractions.fitImage(file.sha256, requester, this.#maxSide);
    if (fitted.type === 'refused') return { reason: fitted.reason };
    if (fitted.type === 'fits') return { file };
    const { sha256, size, mimeType, why } = fitted;
    const changed = file.changed === undefined ? why : `${file.changed}; ${why}`;
    return { file: { ...file, sha256, size, mimeType, changed } };
  }

  /** The limit that a changed image was scaled to, where it is that of many. */
  #scaled(changed: string | undefined): string | undefined {
    if (this.#maxSide === maxImageSide || changed?.includes('scaled down') !== true)
      return undefined;
    return `Scaled down to ${maxSideOfMany} pixels, as the model takes no larger images in a conversation of more than ${manyImages}`;
  }

  async #choose(file: AttachmentRef): Promise<DisplayForm> {
    const kind = mediaKind(file.mimeType);
    const { extractions, requester } = this.deps;
    const counted =
      kind === 'pdf' ? await extractions.countPages(file.sha256, requester) : undefined;
    if (counted?.type === 'refused') return { as: 'nothing', why: counted.reason };
    return chooseDisplay(file, {
      ...this.rules,
      pages: counted?.pages,
      isLocked: counted?.isLocked === true,
      bytesLeft: this.#bytesLeft,
      pagesLeft: this.#pagesLeft,
    });
  }

  /** Shows short UTF-8 text as it is, and other text by extraction. */
  async #showText(file: AttachmentRef, bytes: Buffer): Promise<Shown> {
    // Latin letters in UTF-16 are valid UTF-8 as well: letters and NULs.
    const text = bytes.includes(0) ? undefined : decodeStrictly(bytes);
    if (text !== undefined && text.length <= maxTextChars) {
      return { content: toContentBlock(file, bytes), facts: { as: 'document' } };
    }
    return this.#cutText(file, text === undefined ? 'it is not UTF-8' : 'it is too long');
  }

  async #cutText(file: AttachmentRef, why: string): Promise<Shown> {
    const source = file.mimeType === 'text/csv' ? 'csv' : 'text';
    const { extractions, requester } = this.deps;
    return asText(file, await extractions.extractText(file.sha256, source, requester), why);
  }
}

/** A file that is shown by its bytes. */
interface Plan {
  as: 'image' | 'pdf' | 'document';
  file: AttachmentRef;
}

interface Shown {
  content: UserPart;
  facts: Omit<ShownFile, 'name'>;
}

function asText(file: AttachmentRef, read: TextOutcome, why: string): Shown {
  if (read.type === 'refused') return unavailable(file, read.reason);
  const { type: _type, text: found, isPassing: _isPassing, ...outcome } = read;
  const facts = { as: 'text' as const, why, ...outcome };
  if (found.trim() === '') return { content: emptyNote(file), facts };
  const title = facts.via === 'ocr' ? `${file.name} (text read by OCR)` : file.name;
  const notes = [
    ...(facts.isCut ? [`The rest of ${file.name} is cut off here.`] : []),
    ...(facts.doubt === undefined ? [] : [`Of ${file.name}: ${facts.doubt}.`]),
  ];
  const text = [found, ...notes.map((note) => `[${note}]`)].join('\n');
  return { content: { type: 'document', title, text }, facts };
}

function limited({ content, facts }: Shown, { why, isLimited }: LimitedText): Shown {
  if (isLimited !== true) return { content, facts };
  return { content, facts: { ...facts, limit: `Shown as text, as ${why}` } };
}

/** A note in place of a file: the conversation goes on without it. */
function unavailable(file: AttachmentRef, reason: string, limit?: string): Shown {
  return {
    content: { type: 'text', text: `[Attachment "${file.name}" cannot be shown: ${reason}]` },
    facts: compact({ as: 'nothing' as const, why: reason, limit }),
  };
}

/**
 * The content block of a file for the model. An empty file becomes a note: providers refuse a block
 * without content, and the block would come back with every later turn of the session.
 */
export function toContentBlock(file: AttachmentRef, bytes: Buffer): UserPart {
  const mimeType = effectiveMime(file.mimeType, file.path ?? file.name);
  if (bytes.length === 0) return emptyNote(file);
  const kind = mediaKind(mimeType);
  switch (kind) {
    case 'image':
      return { type: 'image', mediaType: mimeType, base64: bytes.toString('base64') };
    case 'pdf':
      return { type: 'pdf', title: file.name, base64: bytes.toString('base64') };
    case 'text': {
      // Bytes that are not UTF-8 become U+FFFD; a byte order mark is dropped.
      const text = new TextDecoder('utf-8').decode(bytes);
      return text.trim() === '' ? emptyNote(file) : { type: 'document', title: file.name, text };
    }
    case 'office':
    case 'other':
      return { type: 'text', text: unmapped(file, mimeType) };
    default:
      return assertNever(kind);
  }
}

function unmapped({ name, path }: AttachmentRef, mimeType: string): string {
  const where = path === undefined ? '' : ` is available locally at ${path}, but`;
  return `[Attachment "${name}" (${mimeType})${where === '' ? ':' : where} its type cannot be shown here.]`;
}

function emptyNote(file: AttachmentRef): UserPart {
  return { type: 'text', text: `[Attachment "${file.name}" is empty.]` };
}
