import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { instructionRootWith } from '../agents/instruction-root.js';
import type { TestServer } from '../processes/start-server.js';

/** Environment of servers that the scene is played on. */
export async function sceneEnvironment(): Promise<Record<string, string>> {
  const root = instructionRootWith({
    LEAD: [
      'subagents: [TASKER]',
      'AGENT_TYPE: 1',
      'tools: [read, write, todo_write]',
      'auto_approve_tools: [write]',
    ],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'description: Does tasks.'],
  });
  return { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' };
}

export interface Scene {
  sessionId: string;
  /** Its turns, the subagent's not among them. */
  turnIds: string[];
}

/** Has a conversation with files, tools, thinking, a todo list, a subagent and feedback. */
export async function playScene(server: TestServer, marker = 'scene'): Promise<Scene> {
  const { client, projectRoot } = server;
  const file = path.join(projectRoot, `${marker}.txt`);
  await writeFile(file, `Contents of ${marker} `.repeat(20_000));
  const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
  const subagentGovernance = {
    contextSealed: true,
    pipelineRunApproved: true,
    approvalRef: 'CHG-1',
  };
  const turnIds: string[] = [];
  const say = async (message: string, attachments: string[] = []): Promise<void> => {
    const more = { attachments, opts: { subagentGovernance, onDisconnect: 'continue' } };
    const stream = await client.turn(sessionId, message, more);
    const frames = await stream.all();
    const end = frames.at(-1);
    if (end?.data['exitCode'] !== 0) throw new Error(`It ended with ${JSON.stringify(end)}`);
    turnIds.push(stream.header('x-turn-id'));
  };
  await say(`Read this, ${marker} [[think=3]]`, [file]);
  const todos = [{ id: 'a', content: `Remember ${marker}`, status: 'pending' }];
  await say(`[[tool=todo_write ${JSON.stringify({ todos })}]]`);
  await say(`[[tool=read ${JSON.stringify({ file_path: `${marker}.txt` })}]]`);
  const task = { agent: 'TASKER', prompt: `Say ${marker} \0 [[tokens=20]]` };
  await say(`[[tool=task ${JSON.stringify(task)}]]`);
  for (const [index, value] of [true, 4.5, marker, false].entries()) {
    const judged = { key: 'score', value, comment: `About ${marker}` };
    await client.request('PUT', `/api/harness/turns/${turnIds[index]}/feedback`, {
      body: JSON.stringify(judged),
      headers: { 'content-type': 'application/json' },
    });
  }
  return { sessionId, turnIds };
}
