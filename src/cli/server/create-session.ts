import path from 'node:path';
import { TurnpikeError, type TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';

export interface WantedSession {
  /** The folder that the user named: the session works there, or is refused. */
  project?: string | undefined;
  /** The user's current folder, for a session for which no folder was named. */
  folder: string;
  agent?: string | undefined;
}

/**
 * Creates a session in the user's folder. A folder that the server does not open to the user's key is not used, unless
 * the user named it: the session then works in the key's own folder.
 *
 * @param say told which folder that is.
 * @returns its id.
 * @throws TurnpikeError.
 */
export async function createSession(
  client: Pick<TurnpikeClient, 'sessions'>,
  { project, folder, agent: persona }: WantedSession,
  say: (line: string) => void,
): Promise<string> {
  try {
    const projectRoot = path.resolve(folder, project ?? '.');
    return (await client.sessions.create(compact({ projectRoot, persona }))).sessionId;
  } catch (error) {
    if (project !== undefined || !isNotOpen(error)) throw error;
    const { sessionId, projectRoot } = await client.sessions.create(compact({ persona }));
    say(`${folder} is not open to your key: this session works in ${projectRoot}.`);
    return sessionId;
  }
}

/** Only for a folder that is closed to a key does the server name those that are open. */
function isNotOpen(error: unknown): boolean {
  if (!(error instanceof TurnpikeError) || error.code !== 'WORKING_ROOT_CONFLICT') return false;
  return isPlainObject(error.details) && error.details['openRoots'] !== undefined;
}
