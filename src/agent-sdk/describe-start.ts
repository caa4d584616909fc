import type { HarnessEvent } from '../client/turnpike-client.js';
import { modeOf } from './server-mode.js';
import { isAboutWhole } from '../governance/permissions/match-rule.js';
import { uuidOf, uuidOfSession } from './message-ids.js';
import { commandsOf } from './project-commands.js';
import type { QueryState } from './query-state.js';
import type { SDKSystemMessage } from './sdk-messages.js';
import { toListedName } from './tool-names.js';

/** The message that begins a turn, with what the turn may use. */
export async function describeStart(
  { client, sessionId, cwd, mode, plan }: QueryState,
  turnId: string,
  event: Extract<HarnessEvent, { event: 'session:init' }>,
): Promise<SDKSystemMessage> {
  const [turn, skills, commands, { permissions = {} }] = await Promise.all([
    client.turns.get(turnId),
    client.sessions.skills(sessionId),
    commandsOf(client, sessionId, plan),
    client.sessions.get(sessionId),
  ]);
  const isOffered = (name: string): boolean =>
    !(permissions.deny ?? []).some((rule) => isAboutWhole(rule, name));
  const { tools, clientTools = [], skills: named, mode: ofTurn } = turn.options;
  return {
    type: 'system',
    subtype: 'init',
    cwd,
    model: event.data.model,
    tools: [...tools.filter(isOffered), ...clientTools.map(({ name }) => name)].map(toListedName),
    mcp_servers: plan.servers.map((name) => ({ name, status: 'connected' })),
    permissionMode: modeOf(ofTurn, mode, plan.hookAsks.length > 0),
    skills: skills.map(({ name }) => name).filter((name) => named?.includes(name) ?? true),
    agents: [...(turn.delegation?.delegatedSubagents ?? [])],
    slash_commands: commands.map(({ name }) => name),
    apiKeySource: 'none',
    output_style: 'default',
    session_id: uuidOfSession(sessionId),
    uuid: uuidOf(event.id),
  };
}
