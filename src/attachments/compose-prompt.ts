import { basename } from 'node:path';
import { TypedError } from '../platform/typed-error.js';
import type { AttachmentError, ResolvedAttachments } from './resolve-attachments.js';
import { cleanName } from './receive/clean-name.js';
import type { StoredPart } from './stored-part.js';

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

function describeRefused(errors: readonly AttachmentError[], unlisted: number): string {
  const refused = errors.length + unlisted;
  const omitted = refused - Math.min(errors.length, mostReasonsShown);
  return [
    `Attachment warning: ${refused} attachment(s) could not be processed. Continuing with available content.`,
    'Rejected attachments:',
    ...errors
      .slice(0, mostReasonsShown)
      // A line each: what a name or a path says must not look like another one.
      .map(({ path, reason }) => `- ${cleanName(basename(path), '')}: ${oneLine(reason)}`),
    ...(omitted > 0 ? [`- ... ${omitted} additional attachment error(s) omitted`] : []),
  ].join('\n');
}

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

function nothingExecutable(errors: readonly AttachmentError[], unlisted: number): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    status: 400,
    message: 'Turn requires text content or at least one valid attachment',
    details: {
      category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT',
      attachmentErrors: errors.map(({ path, reason }) => ({ path, reason })),
      rejectedAttachmentCount: errors.length + unlisted,
    },
  });
}
