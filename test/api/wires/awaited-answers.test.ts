import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import type { RunFinishedEvent } from '@ag-ui/core';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Response } from 'openai/resources/responses/responses';
import { decide, findAwaited, seenBy } from '../../support/access/approvers.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

describe('the answer of who asks, who is one of two that decide', () => {
  const rules = path.join(newFolder(), 'rules.yaml');
  const { issuer, environment } = useTokenIssuer([{ group: 'team', approves: ['release'] }]);
  const server = useServer(async () => {
    await writeFile(rules, 'ask: [{ rule: write, by: [release], count: 2 }]\n');
    return { environment: { ...environment, TURNPIKE_PERMISSIONS_FILE: rules } };
  });
  const sign = (sub: string) => issuer.sign({ sub, groups: ['team'] });
  const ann = useShared(async () => ({ token: await sign('ann') }));
  const ben = useShared(async () => new KeyedClient(server.url, await sign('ben')));

  const ask = (file: string): string =>
    `Writing. [[tool=write {"file_path":"${file}","content":"x"}]]`;

  /** Waits until Ann's answer is stored, which decides nothing. @returns the approval's id. */
  async function answered(file: string): Promise<string> {
    const { approvalId } = await findAwaited(ben, file);
    await expectSoon(async () => {
      const { body } = await seenBy(ben, approvalId);
      expect(body['approval']).toMatchObject({
        status: 'pending',
        answers: [{ by: 'idp:ann', decision: 'approve' }],
      });
    });
    return approvalId;
  }

  it('is stored by a chat of the AI SDK, whose stream goes on once the other one has answered', async () => {
    const { projectRoot, url } = server;
    const chat = new HeadlessChat({
      url,
      id: randomUUID(),
      key: ann.token,
      body: { projectRoot },
    });
    await chat.sendMessage({ text: ask('chat.txt') });
    const id = String(chat.partsOf('data-approval')[0]?.['id']);
    await chat.addToolApprovalResponse({ id, approved: true });
    expect(await answered('chat.txt')).toBe(id);
    expect(chat.isIdle()).toBe(false);
    await decide(ben, id, 'approve');
    await chat.ended();
    expect([chat.error, chat.metadata['outcome'], chat.sent.length]).toEqual([
      undefined,
      'completed',
      2,
    ]);
    expect(existsSync(path.join(projectRoot, 'chat.txt'))).toBe(true);
  });

  it('is stored by AG-UI, whose run goes on once the other one has answered, and says nothing twice', async () => {
    const { projectRoot, url } = server;
    const agent = new HttpAgent({
      url: `${url}/agent/WORKING_ITEMS/ag-ui`,
      headers: { authorization: `Bearer ${ann.token}` },
    });
    const types: string[] = [];
    let finished: RunFinishedEvent | undefined;
    agent.subscribe({
      onEvent: ({ event }) => void types.push(event.type),
      onRunFinishedEvent: ({ event }) => void (finished = event),
    });
    const run = (more: RunAgentParameters = {}) =>
      agent.runAgent({ forwardedProps: { turnpike: { projectRoot } }, ...more });
    agent.addMessage({ id: 'u1', role: 'user', content: ask('run.txt') });
    await run();
    const [interrupt] = agent.pendingInterrupts;
    const interruptId = interrupt?.id ?? '';
    types.length = 0;
    const going = run({
      resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
    });
    expect(await answered('run.txt')).toBe(interruptId);
    await decide(ben, interruptId, 'approve');
    await going;
    expect(finished?.result).toMatchObject({ outcome: 'completed' });
    expect(types).not.toContain('TOOL_CALL_START');
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(existsSync(path.join(projectRoot, 'run.txt'))).toBe(true);
  });

  it('is stored by Responses, which asks again until the other one has answered', async () => {
    const { url } = server;
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: ann.token, maxRetries: 0 });
    const first = await client.responses.create({ input: ask('response.txt') });
    const id = askedIn(first) ?? '';
    const answer = {
      input: [{ type: 'mcp_approval_response' as const, approval_request_id: id, approve: true }],
      previous_response_id: first.id,
      instructions: 'Speak like a pirate.',
    };
    for (let time = 0; time < 2; time += 1) {
      const again = await client.responses.create(answer);
      expect([again.id, askedIn(again)]).toEqual([first.id, id]);
      expect(await answered('response.txt')).toBe(id);
    }
    await decide(ben, id, 'approve');
    const last = await client.responses.create(answer);
    expect(last).toMatchObject({ status: 'completed', instructions: answer.instructions });
    expect([last.previous_response_id, askedIn(last)]).toEqual([first.id, undefined]);
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.system)).toContain('pirate');
  });

  const askedIn = ({ output }: Response): string | undefined =>
    output.find(({ type }) => type === 'mcp_approval_request')?.id;
});
