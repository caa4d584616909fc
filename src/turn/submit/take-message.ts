import path from 'node:path';
import { boundSession } from '../../access/principal.js';
import type { Attachments } from '../../attachments/attachments.js';
import type { ReceivedFile } from '../../attachments/blob-store.js';
import { agentLimits, harnessLimits } from '../../attachments/file-limits.js';
import {
  checkAllTaken,
  composePrompt,
  resolveAttachments,
  type ResolvedAttachments,
} from '../../attachments/resolve-attachments.js';
import { isImage } from '../../attachments/choose-display.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import type { Logger } from '../../platform/logger.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import { sessionNotFound } from '../../session/session-errors.js';
import type { ResolvedModel } from '../../provider/model-resolver.js';
import type { SessionRow } from '../../session/session-store.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import type { AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';
import { checkClientTurns, endsWithOutputs, orderParts } from './client-turns.js';
import type { CheckedClientTurn, TurnSubmission } from './turn-submission.js';

/** The message of a turn as it is stored, with the turns that its client sent before it. */
export interface TakenMessage {
  parts: StoredPart[];
  rejectedAttachments: StoredRequest['rejectedAttachments'];
  clientTurns: CheckedClientTurn[];
}

interface MessageSource {
  submission: TurnSubmission;
  session: SessionRow;
  root: Pick<OpenedRoot, 'real' | 'ownPaths'>;
  /** The turn whose place the turn takes; undefined: it follows the last one. */
  replaces: string | undefined;
  /** The model of the turn, and its options. */
  model: ResolvedModel;
  resolution: OptionResolution;
  logger: Logger;
}

/**
 * Takes a message with all that came with it: files by path, id or bytes, those of the turn that it replaces, and the
 * history of its client. Files are kept for as long as their session.
 *
 * @throws TypedError ATTACHMENT_FAILURE 400, INVALID_REQUEST 400 for a picture of a model that sees none, SESSION_NOT_FOUND 404.
 */
export async function takeMessage(
  attachments: Attachments,
  source: MessageSource,
): Promise<TakenMessage> {
  const { submission, session, logger } = source;
  const { message, replay, clientTurns = [], needsAllFiles = false } = submission;
  const resolve = resolverOf(attachments, source);
  const kept = await keptFiles(attachments, source);
  const resolved = await resolve([...submission.attachments, ...kept], submission.files ?? []);
  assertSeen(source, resolved.files);
  const rejectedAttachments = resolved.errors.map(({ path: named, ...why }) => ({
    name: path.basename(named),
    ...why,
  }));
  for (const rejected of rejectedAttachments) {
    logger.debug({ sessionId: session.id, ...rejected }, 'an attachment was refused');
  }
  if (needsAllFiles) checkAllTaken(resolved);
  const checked =
    clientTurns.length === 0 ? [] : await checkClientTurns(clientTurns, resolve, needsAllFiles);
  const isBlank = message.trim() === '' && resolved.files.length + resolved.errors.length === 0;
  // The files of a replay were taken with the recorded turn.
  const { parts } =
    replay ??
    (isBlank && endsWithOutputs(clientTurns) ? { parts: [] } : composePrompt(message, resolved));
  const ordered = submission.content && orderParts(submission.content, resolved);
  const clientFiles = checked
    .flatMap((one) => one.parts)
    .flatMap((part) => (part.type === 'file' ? part.file : []));
  await keepFiles(attachments, session.id, [...clientFiles, ...resolved.files]);
  return { parts: [...(ordered ?? parts)], rejectedAttachments, clientTurns: checked };
}

/** @throws TypedError INVALID_REQUEST for a picture that the model does not see. */
function assertSeen(
  { model, resolution }: Pick<MessageSource, 'model' | 'resolution'>,
  files: readonly AttachmentRef[],
): void {
  const picture = files.find(isImage);
  if (picture === undefined || model.seesImages !== false) return;
  if (resolution.options.attachmentsAs === 'text') return;
  throw invalidRequest(
    `The model ${model.name} sees no pictures, and ${picture.name} is one. Choose another model; or send opts.attachmentsAs "text", and it gets the words that are read in the picture. If it does see them, say so in TURNPIKE_MODELS (seesImages).`,
    { pointer: '/attachments', name: picture.name },
  );
}

type Resolve = (
  named: readonly string[],
  sent: readonly ReceivedFile[],
) => Promise<ResolvedAttachments>;

/** Checks files by the rights of their sender. */
function resolverOf(
  attachments: Attachments,
  { submission, session, root }: MessageSource,
): Resolve {
  const { principal, asAgent } = submission;
  const files = {
    projectRoot: root.real,
    roots: attachments.roots,
    closed: root.ownPaths.closed,
    hidden: root.ownPaths.hidden,
    principalId: session.principalId,
    limits: asAgent === true ? agentLimits : harnessLimits,
    ...compact({ withinSession: principal && boundSession(principal) }),
  };
  return (named, sent) => resolveAttachments(attachments, { named, sent, ...files });
}

/** The files of the turn that is replaced, where the request says nothing of files. */
async function keptFiles(
  attachments: Attachments,
  { submission, session, replaces }: MessageSource,
): Promise<string[]> {
  if (submission.keepsFiles !== true || replaces === undefined) return [];
  return attachments.stored.idsOf(replaces, session.principalId);
}

/** Keeps files for as long as their session, also where the turn is refused in the next moment. */
async function keepFiles(
  { store }: Attachments,
  sessionId: string,
  files: readonly AttachmentRef[],
): Promise<void> {
  try {
    await store.keep(
      sessionId,
      files.map(({ sha256 }) => sha256),
    );
  } catch (error) {
    const isGone = violatedConstraint(error) === 'session_blobs_session_id_fkey';
    throw isGone ? sessionNotFound(sessionId) : error;
  }
}
