import { boundSession, type Principal } from '../../access/principal.js';
import { compact } from '../../platform/compact.js';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { Attachments } from '../attachments.js';
import { TypedError } from '../../errors/typed-error.js';
import { harnessLimits } from '../file-limits.js';
import { fitStoredImage } from '../extract/extractor.js';
import { mediaKind, checkFile, type FileCheck } from '../check-file.js';
import type { ReceivedFile } from '../blob-store.js';
import { receiveMultipart } from '../receive/receive-multipart.js';
import type { AttachmentError } from '../resolve-attachments.js';
import type { UploadedDto } from './uploaded.dto.js';

/** Bytes for the boundaries and headers of a body with as many files as are allowed. */
const FRAMING_BYTES = 64 * 1024;

/** Receives files before the turn that names them. */
@Injectable()
export class UploadService {
  constructor(
    private readonly attachments: Attachments,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'receiveTimeoutMs'>,
  ) {}

  /**
   * A file of a stored message or an upload, with its bytes in pieces.
   *
   * @throws TypedError ATTACHMENT_NOT_FOUND 404.
   */
  async load(id: string, caller: Principal) {
    const { store, stored } = this.attachments;
    const file = (await stored.find([id], caller.id, boundSession(caller))).get(id);
    const content = file && (await store.pieces(file.sha256));
    if (file !== undefined && content !== undefined) return { file, content };
    throw new TypedError('ATTACHMENT_NOT_FOUND', {
      message: `There is no file ${id.slice(0, 120)}. It may have been deleted with its session; send it again.`,
    });
  }

  /**
   * Receives the files of one multipart request, in any field. Each is accepted or refused alone.
   *
   * @param principalId the only principal that may name them in a turn.
   * @throws TypedError ATTACHMENT_FAILURE 400 when all were refused; those of `receiveMultipart`.
   */
  async upload(request: IncomingMessage, principalId: string): Promise<UploadedDto> {
    const { clock } = this;
    const { store, stored } = this.attachments;
    const { files: maxFiles, fileBytes, turnBytes } = harnessLimits;
    const { files, skipped } = await receiveMultipart(request, {
      store,
      clock,
      fields: [],
      tooLarge: 'skip',
      limits: {
        maxFiles,
        maxFileBytes: fileBytes,
        maxRequestBytes: turnBytes + FRAMING_BYTES,
        maxFieldBytes: 0,
        idleMs: this.config.receiveTimeoutMs,
      },
    });
    const errors = skipped.map(({ name, reason }) => ({ path: name, reason }));
    const taken: UploadedDto = { attachments: [], errors };
    for (const file of files) {
      const checked = await this.#take(file, principalId);
      if ('reason' in checked) {
        taken.errors.push({ path: file.name, reason: checked.reason });
        continue;
      }
      const { name, mimeType, size, changed } = checked.file;
      const { id } = await stored.addUpload(checked.file, principalId);
      taken.attachments.push(compact({ id, name, mimeType, size, changed }));
    }
    if (taken.attachments.length === 0) throw allRefused(taken.errors);
    return taken;
  }

  /**
   * Checks a file as in a turn, and fits an image at once, so that its sender gets the reason
   * against it.
   */
  async #take(received: ReceivedFile, principalId: string): Promise<FileCheck> {
    const checked = await checkFile(received);
    if ('reason' in checked || received.size === 0) return checked;
    const { file } = checked;
    if (mediaKind(file.mimeType) !== 'image') return checked;
    const load = async (): Promise<Buffer> => {
      const content = await this.attachments.store.get(file.sha256);
      if (content === undefined) throw new Error('A file is gone that was stored a moment ago');
      return content;
    };
    const fitted = await fitStoredImage(this.attachments, load, principalId);
    if (fitted.type === 'refused') return { reason: fitted.reason };
    if (fitted.type === 'fits') return checked;
    const { sha256, size, mimeType, why: changed } = fitted;
    return { file: { ...file, sha256, size, mimeType, changed } };
  }
}

function allRefused(errors: readonly AttachmentError[]): TypedError {
  const why = errors.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  return new TypedError('ATTACHMENT_FAILURE', {
    message:
      errors.length === 0
        ? 'The request has no file. Send multipart/form-data with at least one file part.'
        : `No file was taken. ${why}`,
    details: { attachmentErrors: errors, rejectedAttachmentCount: errors.length },
  });
}
