import { basename } from 'node:path';
import { TypedError } from '../errors/typed-error.js';
import type { AttachmentError, ResolvedAttachments } from './resolve-attachments.js';
import { cleanName } from './clean-name.js';
import type { StoredPart } from '../storage/shapes/stored-part.js';

const mostReasonsShown = 3;

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
  const omitted = refused - Math.min(errors.length, mostReasonsShown);
  return [
    `Attachment warning: ${refused} attachment(s) could not be processed. Continuing with available content.`,
    'Rejected attachments:',
    ...errors
      .slice(0, mostReasonsShown)
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
