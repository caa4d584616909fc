import type { HarnessEvent } from '../client/turnpike-client.js';
import { modeOf } from './server-mode.js';
import { uuidOf, uuidOfSession } from './message-ids.js';
import type { QueryState } from './query-state.js';
import type { SDKSystemMessage } from './sdk-messages.js';
import { toListedName } from './tool-names.js';

/** The message that begins a turn, with what the turn may use. */
export async function describeStart(
  { client, sessionId, cwd, mode, plan }: QueryState,
  turnId: string,
  event: Extract<HarnessEvent, { event: 'session:init' }>,
): Promise<SDKSystemMessage> {
  const [turn, skills] = await Promise.all([
    client.turns.get(turnId),
    client.sessions.skills(sessionId),
  ]);
  const { tools, clientTools = [], skills: named, mode: ofTurn } = turn.options;
  return {
    type: 'system',
    subtype: 'init',
    cwd,
    model: event.data.model,
    tools: [...tools, ...clientTools.map(({ name }) => name)].map(toListedName),
    mcp_servers: plan.servers.map((name) => ({ name, status: 'connected' })),
    permissionMode: modeOf(ofTurn, mode, plan.hookAsks.length > 0),
    skills: skills.map(({ name }) => name).filter((name) => named?.includes(name) ?? true),
    agents: [...(turn.delegation?.delegatedSubagents ?? [])],
    slash_commands: [],
    apiKeySource: 'none',
    output_style: 'default',
    session_id: uuidOfSession(sessionId),
    uuid: uuidOf(event.id),
  };
}
