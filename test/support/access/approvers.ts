import { expect } from '@jest/globals';
import { expectSoon } from '../expect-soon.js';
import type { KeyedAnswer, KeyedClient } from '../clients/keyed-client.js';

const awaitedPath = '/api/harness/awaited-approvals';

export interface AwaitedShown {
  approvalId: string;
  [field: string]: unknown;
}

/** A turn that calls `write`, of a session whose rule says who decides. */
export interface AskedTurn {
  sessionId: string;
  file: string;
  /** The answer to the request, once the turn has ended. */
  ended: Promise<KeyedAnswer | 'cut'>;
}

/** Begins a turn that asks before it writes a file. @param rule beside the rule's own text. */
export async function askForWrite(
  owner: KeyedClient,
  { projectRoot, file, rule }: { projectRoot: string; file: string; rule: object },
): Promise<AskedTurn> {
  const permissions = { ask: [{ rule: 'write', ...rule }] };
  const made = await owner.send('POST', '/api/harness/session/create', {
    projectRoot,
    permissions,
  });
  expect([made.status, made.text]).toEqual([200, expect.anything()]);
  const { sessionId } = made.body['session'] as { sessionId: string };
  const message = `[[tool=write {"file_path":"${file}","content":"x"}]]`;
  const opts = { onDisconnect: 'continue' };
  const ended = owner
    .send('POST', '/api/harness/turn', { sessionId, message, opts })
    .catch(() => 'cut' as const);
  return { sessionId, file, ended };
}

/** What the caller is awaited for. */
export async function awaitedBy(client: KeyedClient): Promise<AwaitedShown[]> {
  const { status, body } = await client.send('GET', awaitedPath);
  expect(status).toBe(200);
  return body['approvals'] as AwaitedShown[];
}

/** Waits until somebody is awaited for a call about a file. @returns the approval. */
export async function findAwaited(client: KeyedClient, file: string): Promise<AwaitedShown> {
  let found: AwaitedShown | undefined;
  await expectSoon(async () => {
    found = (await awaitedBy(client)).find(({ input }) => JSON.stringify(input).includes(file));
    expect(found).toBeDefined();
  });
  if (found === undefined) throw new Error(`Nobody is awaited for ${file}`);
  return found;
}

export function decide(client: KeyedClient, approvalId: string, body: object | string) {
  const given = typeof body === 'string' ? { decision: body } : body;
  return client.send('POST', `${awaitedPath}/${approvalId}`, given);
}

/** An approval as somebody sees it who decides about it. */
export function seenBy(client: KeyedClient, approvalId: string): Promise<KeyedAnswer> {
  return client.send('GET', `${awaitedPath}/${approvalId}`);
}
