import { Injectable } from '@nestjs/common';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { Attachments } from './attachments.js';
import { harnessLimits as limits, refuseSize, cleanName, unnamed } from './file-limits.js';
import { SNIFF_BYTES } from './blob-store.js';
import { checkFile, effectiveMime, isTextLike, mediaKind, sniffType } from './check-file.js';
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
   * Stores the files of an output, pictures fitted to the model's limits, for as long as the session. A label has the
   * name, type and size of each. People can load what the model cannot be shown, such as audio; its label says so.
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
    const { mimeType: declared = '' } = file;
    const name = cleanName(file.name ?? (declared === SVG ? 'file.svg' : undefined));
    const start = bytes.subarray(0, SNIFF_BYTES);
    const checked = await checkFile({ name, start, size, sha256: '' });
    const isShown = 'file' in checked && !isMisnamed(declared, checked.file);
    const taken = isShown ? checked.file : await unshown(start, { name, declared });
    const label = (why?: string): string =>
      `[${taken.name}: ${taken.mimeType}, ${size} bytes${why === undefined ? '' : `; ${why}`}]`;
    const tooLarge = refuseSize(size, sizeOf(kept), limits);
    if (tooLarge !== undefined) return label(`not shown: ${tooLarge}`);
    const stored = await this.#store(bytes, taken.mimeType, requester);
    if ('reason' in stored) return label(`not shown: ${stored.reason}`);
    kept.push({ name: taken.name, ...stored });
    return label(isShown ? undefined : FOR_PEOPLE);
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

const SVG = 'image/svg+xml';
const FOR_PEOPLE =
  'not shown to you: models take PNG, JPEG, GIF and WebP pictures, PDFs, office documents and text. The user can open it';

/** Whether bytes that pass for text are said to be audio, video or a picture. */
function isMisnamed(declared: string, { mimeType }: AttachmentRef): boolean {
  const isMedia = /^(?:audio|video|image)\//i.test(declared) && declared !== SVG;
  return isMedia && mediaKind(mimeType) === 'text';
}

/** A file for people alone. Its first bytes tell its type; the declared one counts where no bytes contradict it. */
async function unshown(
  start: Uint8Array,
  { name, declared }: { name: string; declared: string },
): Promise<Pick<AttachmentRef, 'name' | 'mimeType'>> {
  const isText = isTextLike(start);
  const said = effectiveMime(declared, name);
  // The bytes of any type that the model is shown are known.
  const isPossible = !isText && mediaKind(said) === 'other';
  const found = isText ? undefined : await sniffType(start);
  const mimeType = found ?? (isPossible ? said : 'application/octet-stream');
  const [, extension] = /^(?:audio|video)\/(?:x-)?([a-z0-9]{2,5})$/.exec(mimeType) ?? [];
  const isNamed = name !== unnamed || extension === undefined;
  return { name: isNamed ? name : `${name}.${extension}`, mimeType };
}

function sizeOf(kept: readonly AttachmentRef[]): { files: number; bytes: number } {
  return { files: kept.length, bytes: kept.reduce((sum, { size }) => sum + size, 0) };
}
