import { basename } from 'node:path';
import { compact } from '../platform/compact.js';
import type { AttachmentRef, StoredPart } from '../storage/shapes/stored-step.js';
import { TypedError } from '../errors/typed-error.js';
import type { Attachments } from './attachments.js';
import type { ReceivedFile } from './blob-store.js';
import { isFileId } from './stored-files.js';
import {
  refuseCount,
  refuseSize,
  shownPath,
  type AttachmentLimits,
  cleanName,
} from './file-limits.js';
import { checkFile, type FileCheck } from './check-file.js';
import type { AttachmentFolders } from './attachment-folders.js';
import { loadPath } from './load-path.js';

export interface AttachmentError {
  /** The end of the path, or the name of a file that was sent. */
  path: string;
  reason: string;
  /** Index among the turn's files as they were sent, from 0. Absent outside of turns. */
  index?: number;
}

export interface ResolvedAttachments {
  /** Accepted files, in input order. */
  files: AttachmentRef[];
  /** Refused files, in input order. */
  errors: AttachmentError[];
  /** Number of further refused files, which only the last error counts. Absent: none. */
  unlisted?: number;
}

export interface AttachmentInput extends AttachmentFolders {
  /** Absolute paths, and ids of uploads and of files in stored messages. */
  named: readonly string[];
  /** Files that came with the request; they follow the named ones. */
  sent: readonly ReceivedFile[];
  /** Owner of the uploads that may be named. Default: the local user. */
  principalId?: string;
  /** The one session whose files may be named, beside uploads. Absent: any of the principal. */
  withinSession?: string;
  limits: AttachmentLimits;
}

/**
 * Checks and stores the files of a turn, one after the other: a file that no longer fits the turn's
 * budget is refused alone, and smaller files after it may still fit. Paths and ids beyond the limit of
 * files are refused without a look at them. A fault of a file is an entry of `errors`, never an error.
 */
export async function resolveAttachments(
  deps: Pick<Attachments, 'store' | 'stored'>,
  input: AttachmentInput,
): Promise<ResolvedAttachments> {
  const { named: all, sent, principalId, withinSession, limits, ...where } = input;
  const named = all.slice(0, limits.files);
  const excess = refuseExcess(all.slice(limits.files), limits);
  const files: AttachmentRef[] = [];
  const errors: AttachmentError[] = [];
  const accepted = { files: 0, bytes: 0 };
  const refuse = (size: number) => refuseSize(size, accepted, limits);
  let index = 0;
  const admit = (path: string, size: number, checked: FileCheck): void => {
    const at = { index };
    index += 1;
    if ('reason' in checked) {
      errors.push({ path: shownPath(path), reason: checked.reason, ...at });
      return;
    }
    files.push({ ...checked.file, ...at });
    accepted.files += 1;
    accepted.bytes += size;
  };
  const known = await deps.stored.find(named.filter(isFileId), principalId, withinSession);
  for (const name of named) {
    if (isFileId(name)) {
      const file = known.get(name);
      admit(name, file?.size ?? 0, useKnown(name, file, refuse));
      continue;
    }
    const loaded = await loadPath(name, { store: deps.store, ...where, refuseSize: refuse });
    if ('reason' in loaded) admit(name, 0, loaded);
    else admit(name, loaded.file.size, withPath(await checkFile(loaded.file), loaded.path));
  }
  errors.push(...excess.errors);
  index = all.length;
  for (const file of sent) {
    const reason = refuse(file.size);
    admit(file.name, file.size, reason === undefined ? await checkFile(file) : { reason });
  }
  return compact({ files, errors, unlisted: excess.unlisted || undefined });
}

/** Lists an error for as many excess files as a turn may have; the last error counts the others. */
function refuseExcess(
  paths: readonly string[],
  limits: AttachmentLimits,
): { errors: AttachmentError[]; unlisted: number } {
  const unlisted = Math.max(0, paths.length - limits.files - 1);
  const listed = paths.slice(0, limits.files + 1);
  const errors = listed.map((path, offset) => ({
    path: shownPath(path),
    reason: refuseCount(limits, offset === limits.files ? unlisted : 0),
    index: limits.files + offset,
  }));
  return { errors, unlisted };
}

/** An upload, or a file of a message: it was checked when it came. */
function useKnown(
  id: string,
  file: AttachmentRef | undefined,
  refuse: (size: number) => string | undefined,
): FileCheck {
  if (file === undefined) return { reason: id.startsWith('att_') ? unknownUpload : goneFile };
  const reason = refuse(file.size);
  if (reason !== undefined) return { reason };
  const { index: _index, ...rest } = file;
  return { file: rest };
}

const unknownUpload =
  'Attachment is not known: send the file to POST /api/harness/attachments again';
const goneFile = 'The file is not there any more: its session was deleted. Send it again';

function withPath(checked: FileCheck, path: string): FileCheck {
  return 'reason' in checked ? checked : { file: { ...checked.file, path } };
}

const MAX_REASONS = 3;

/**
 * The user message of a turn: a warning if files were refused, the text if it is not blank, the
 * files. Without files the warning and the text are one part.
 *
 * @throws TypedError 400 `ATTACHMENT_FAILURE` when there is neither text nor a file, details
 * `{category, attachmentErrors[], rejectedAttachmentCount}`.
 */
export function composePrompt(
  message: string,
  { files, errors, unlisted = 0 }: ResolvedAttachments,
): { parts: StoredPart[] } {
  const hasText = message.trim() !== '';
  if (files.length === 0 && !hasText) throw nothingExecutable(errors, unlisted);
  const texts = [
    ...(errors.length > 0 ? [describeRefused(errors, unlisted)] : []),
    ...(hasText ? [message] : []),
  ];
  const separate = files.length > 0 ? texts : [texts.join('\n\n')];
  return {
    parts: [
      ...separate.map((text): StoredPart => ({ type: 'text', text })),
      ...files.map((file): StoredPart => ({ type: 'file', file })),
    ],
  };
}

/**
 * Checks that every file was accepted, for wires that cannot report a refusal during the turn.
 *
 * @throws TypedError 400 `ATTACHMENT_FAILURE` when a file was refused, or is empty.
 */
export function checkAllTaken({ files, errors, unlisted = 0 }: ResolvedAttachments): void {
  const empty = files
    .filter(({ size }) => size === 0)
    .map(({ name }) => ({ path: name, reason: 'Attachment is empty' }));
  const refused = [...errors, ...empty];
  if (refused.length === 0) return;
  const why = refused.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  const message = `Not every file can be taken, and nothing was begun. ${why}`;
  throw attachmentFailure(message, 'ATTACHMENTS_REFUSED', { errors: refused, unlisted });
}

function describeRefused(errors: readonly AttachmentError[], unlisted: number): string {
  const refused = errors.length + unlisted;
  const omitted = refused - Math.min(errors.length, MAX_REASONS);
  return [
    `Attachment warning: ${refused} attachment(s) could not be processed. Continuing with available content.`,
    'Rejected attachments:',
    ...errors
      .slice(0, MAX_REASONS)
      // A file has one line: text inside a name or a path must not look like a further entry.
      .map(({ path, reason }) => `- ${cleanName(basename(path))}: ${oneLine(reason)}`),
    ...(omitted > 0 ? [`- ... ${omitted} additional attachment error(s) omitted`] : []),
  ].join('\n');
}

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

function nothingExecutable(errors: readonly AttachmentError[], unlisted: number): TypedError {
  const message = 'Turn requires text content or at least one valid attachment';
  return attachmentFailure(message, 'ALL_ATTACHMENTS_FAILED_NO_TEXT', { errors, unlisted });
}

function attachmentFailure(
  message: string,
  category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT' | 'ATTACHMENTS_REFUSED',
  { errors, unlisted }: { errors: readonly AttachmentError[]; unlisted: number },
): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    message,
    details: {
      category,
      attachmentErrors: errors.map(({ path, reason }) => ({ path, reason })),
      rejectedAttachmentCount: errors.length + unlisted,
    },
  });
}
