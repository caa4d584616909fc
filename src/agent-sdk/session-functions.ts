import type { MessageView, SessionRecord, TurnpikeClient } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import { sessionOfUuid, uuidOf, uuidOfSession } from './message-ids.js';
import { replayTurn } from './replay-turn.js';
import type { SDKAssistantMessage, SDKToolResultMessage } from './sdk-messages.js';
import { UnsupportedError } from './sdk-errors.js';

/** A session in a list. */
export interface SDKSessionInfo {
  sessionId: string;
  /** Its title, or the beginning of its first message. */
  summary: string;
  /** The title that a user gave it. Absent: none; and in lists. */
  customTitle?: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
  createdAt: number;
  cwd: string;
}

/** A message of the user, as `getSessionMessages` has it. */
export interface SessionUserMessage {
  type: 'user';
  message: { role: 'user'; content: string };
  parent_tool_use_id: null;
  session_id: string;
  uuid: string;
}

export type SessionMessage = SessionUserMessage | SDKAssistantMessage | SDKToolResultMessage;

/** A folder, whose sessions are meant, and a part of a list. */
export interface ListWhere {
  dir?: string;
  /** Default: all. */
  limit?: number;
  /** Default: 0. */
  offset?: number;
}

/** The functions about sessions, over a client. */
export interface SessionFunctions {
  /** The sessions of the caller, or of a folder, the last used first. */
  listSessions(where?: ListWhere): Promise<SDKSessionInfo[]>;
  /** Undefined where there is no such session. */
  getSessionInfo(sessionId: string, where?: { dir?: string }): Promise<SDKSessionInfo | undefined>;
  /** The conversation, oldest first, with the uuids that its readers had. Empty where there is no such session. */
  getSessionMessages(sessionId: string, where?: ListWhere): Promise<SessionMessage[]>;
  /** A new session with the conversation up to its last turn. `upToMessageId` is refused: use `resumeSessionAt`. */
  forkSession(
    sessionId: string,
    how?: { dir?: string; upToMessageId?: string; title?: string },
  ): Promise<{ sessionId: string }>;
  renameSession(sessionId: string, title: string, where?: { dir?: string }): Promise<void>;
  /** Deletes a session; a turn that runs in it is ended first. */
  deleteSession(sessionId: string, where?: { dir?: string }): Promise<void>;
}

export function sessionFunctions(of: () => TurnpikeClient): SessionFunctions {
  const idOf = (sessionId: string): string => sessionOfUuid(sessionId, 'sessionId');
  return {
    listSessions: (where = {}) => list(of(), where),
    getSessionInfo: (sessionId) => info(of(), idOf(sessionId)),
    getSessionMessages: (sessionId, where = {}) => conversation(of(), idOf(sessionId), where),
    forkSession: (sessionId, how = {}) => fork(of(), idOf(sessionId), how),
    renameSession: async (sessionId, title) => {
      await of().sessions.rename(idOf(sessionId), title);
    },
    deleteSession: (sessionId) => of().sessions.delete(idOf(sessionId)),
  };
}

async function list(
  client: TurnpikeClient,
  { dir, limit = Infinity, offset = 0 }: ListWhere,
): Promise<SDKSessionInfo[]> {
  const found: SDKSessionInfo[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await client.sessions.list(cursor === undefined ? {} : { cursor });
    for (const one of page.sessions) {
      if (seen.has(one.sessionId) || (dir !== undefined && one.projectRoot !== dir)) continue;
      seen.add(one.sessionId);
      // Its title may be the beginning of its first message.
      const { customTitle: _title, ...listed } = toInfo(one);
      found.push(listed);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < offset + limit);
  return found.slice(offset, offset + limit);
}

async function info(
  client: TurnpikeClient,
  sessionId: string,
): Promise<SDKSessionInfo | undefined> {
  const record = await recordOf(client, sessionId);
  return record && toInfo(record);
}

async function recordOf(
  client: TurnpikeClient,
  sessionId: string,
): Promise<SessionRecord | undefined> {
  try {
    return await client.sessions.get(sessionId);
  } catch (error) {
    if (isRefusal(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

type Titled = Pick<
  SessionRecord,
  'sessionId' | 'projectRoot' | 'createdAt' | 'updatedAt' | 'title'
>;

function toInfo({ sessionId, projectRoot, createdAt, updatedAt, title }: Titled): SDKSessionInfo {
  return {
    sessionId: uuidOfSession(sessionId),
    summary: title ?? '',
    ...(title === undefined ? {} : { customTitle: title }),
    lastModified: Date.parse(updatedAt),
    createdAt: Date.parse(createdAt),
    cwd: projectRoot,
  };
}

async function conversation(
  client: TurnpikeClient,
  sessionId: string,
  { limit = Infinity, offset = 0 }: ListWhere,
): Promise<SessionMessage[]> {
  if ((await recordOf(client, sessionId)) === undefined) return [];
  const views = await allMessages(client, sessionId);
  const told: SessionMessage[] = [];
  for (const view of views) {
    if (view.role === 'user') told.push(toUser(sessionId, view));
    // The turn's answers, once: what it was asked comes before them.
    if (view.role === 'assistant') {
      told.push(...(await replayTurn(client, { turnId: view.turnId, sessionId })).messages);
    }
  }
  return told.slice(offset, offset + limit);
}

async function allMessages(client: TurnpikeClient, sessionId: string): Promise<MessageView[]> {
  const all: MessageView[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.messages(sessionId, cursor === undefined ? {} : { cursor });
    all.push(...page.messages);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

function toUser(sessionId: string, { messageId, parts }: MessageView): SessionUserMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return {
    type: 'user',
    message: { role: 'user', content: texts.join('\n') },
    parent_tool_use_id: null,
    session_id: uuidOfSession(sessionId),
    uuid: uuidOf(messageId),
  };
}

async function fork(
  client: TurnpikeClient,
  sessionId: string,
  { upToMessageId, title }: { upToMessageId?: string; title?: string },
): Promise<{ sessionId: string }> {
  if (upToMessageId !== undefined) {
    throw new UnsupportedError(
      'upToMessageId',
      'give resume, resumeSessionAt and forkSession to a query',
    );
  }
  const { turns } = await client.sessions.turns(sessionId, { limit: 2 });
  const ended = turns.find(({ outcome }) => outcome !== null);
  if (ended === undefined) {
    throw new Error('The session has no turn that has ended: there is nothing to fork yet');
  }
  const { turnId } = ended;
  const forked = await client.sessions.fork(sessionId, { turnId, position: 'after' });
  if (title !== undefined) await client.sessions.rename(forked.session.sessionId, title);
  return { sessionId: uuidOfSession(forked.session.sessionId) };
}
