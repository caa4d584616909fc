import { Injectable } from '@nestjs/common';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { Attachments } from './attachments.js';
import { harnessLimits as limits, refuseSize, cleanName } from './file-limits.js';
import { SNIFF_BYTES } from './blob-store.js';
import { checkFile, mediaKind } from './check-file.js';
import { fitStoredImage } from './extract/extractor.js';
import type { OutputBlock, ToolOutput } from '../platform/parsing/tool-output.js';
import type { Requester } from './file-memory.js';

/** An output as it is stored: its text has a label in the place of each file. */
export interface KeptOutput {
  output: string;
  files: AttachmentRef[];
}

type OutputFile = Extract<OutputBlock, { type: 'file' }>;

/** Keeps the files in the outputs of tools, as those of messages are kept. */
@Injectable()
export class OutputFiles {
  constructor(private readonly attachments: Attachments) {}

  /**
   * Stores the pictures and PDFs of an output, pictures fitted to the model's limits, for as long as the session. What
   * the model cannot be shown is labelled with its name, its type and the reason.
   */
  async keep(
    output: ToolOutput,
    { sessionId, requester }: { sessionId: string; requester: Requester },
  ): Promise<KeptOutput> {
    if (typeof output === 'string') return { output, files: [] };
    const files: AttachmentRef[] = [];
    const texts: string[] = [];
    for (const block of output) {
      texts.push(block.type === 'text' ? block.text : await this.#take(block, files, requester));
    }
    await this.hold(sessionId, files);
    return { output: texts.join('\n'), files };
  }

  /** Keeps stored files as long as a session. */
  async hold(sessionId: string, files: readonly AttachmentRef[]): Promise<void> {
    const hashes = files.map(({ sha256 }) => sha256);
    if (hashes.length > 0) await this.attachments.store.keep(sessionId, hashes);
  }

  /** @returns the label. */
  async #take(file: OutputFile, kept: AttachmentRef[], requester: Requester): Promise<string> {
    const bytes = Buffer.from(file.bytes);
    const { length: size } = bytes;
    const { mimeType: declared = 'unknown type' } = file;
    const name = cleanName(file.name ?? (declared === 'image/svg+xml' ? 'file.svg' : undefined));
    const start = bytes.subarray(0, SNIFF_BYTES);
    const checked = await checkFile({ name, start, size, sha256: '' });
    const refused =
      'reason' in checked
        ? checked.reason
        : (refuseDeclared(declared, checked.file) ?? refuseSize(size, sizeOf(kept), limits));
    const type = 'file' in checked && refused === undefined ? checked.file.mimeType : declared;
    const label = (shown: string, why?: string): string =>
      `[${shown}: ${type}, ${size} bytes${why === undefined ? '' : `; not shown: ${why}`}]`;
    if ('reason' in checked || refused !== undefined) return label(name, refused);
    const { file: taken } = checked;
    const stored = await this.#store(bytes, taken.mimeType, requester);
    if ('reason' in stored) return label(taken.name, stored.reason);
    kept.push({ name: taken.name, ...stored });
    return label(taken.name);
  }

  async #store(
    bytes: Buffer,
    mimeType: string,
    { principalId, wait }: Requester,
  ): Promise<Omit<AttachmentRef, 'name'> | { reason: string }> {
    const { store } = this.attachments;
    if (mediaKind(mimeType) === 'image') {
      const fitted = await wait(() => fitStoredImage(this.attachments, bytes, principalId));
      if (fitted.type === 'refused') return { reason: fitted.reason };
      if (fitted.type === 'changed') {
        const { sha256, size, why } = fitted;
        return { sha256, size, mimeType: fitted.mimeType, changed: why };
      }
    }
    const { sha256, size } = await store.put([bytes]);
    return { sha256, size, mimeType };
  }
}

/** Bytes that nobody knows pass for text: not where they are said to be sound, film or a picture. */
function refuseDeclared(declared: string, { mimeType }: AttachmentRef): string | undefined {
  const isMedia = /^(?:audio|video|image)\//.test(declared) && declared !== 'image/svg+xml';
  if (!isMedia || mediaKind(mimeType) !== 'text') return undefined;
  return 'models take PNG, JPEG, GIF and WebP pictures, PDFs, office documents and text';
}

function sizeOf(kept: readonly AttachmentRef[]): { files: number; bytes: number } {
  return { files: kept.length, bytes: kept.reduce((sum, { size }) => sum + size, 0) };
}
