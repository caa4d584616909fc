import { existsSync } from 'node:fs';
import path from 'node:path';
import { Client } from '../clients/client.js';

type Json = Record<string, unknown>;

/** A question that many answered at once. */
export interface RacedQuestion {
  /** Its answers that the server took, as their decisions. */
  taken: string[];
  /** The decisions that readers of the turn were told. */
  told: string[];
  /** Runs of the call that it was about, as its turn tells them. */
  runs: number;
  /** Whether the file of that call is there. */
  isWritten: boolean;
}

/** Asks by a wire whether a file may be written. @returns the answer of that wire: yes, by any process. */
type Ask = (client: Client, name: string, message: string) => Promise<(client: Client) => Answered>;
type Answered = Promise<{ status: number }>;

const wires: Record<string, Ask> = {
  responses: async (client, _name, input) => {
    const model = 'WORKING_ITEMS';
    const { body } = await client.post('/v1/responses', { model, input });
    const { id, output } = body as { id: string; output: { type: string; id: string }[] };
    const asked = output.find(({ type }) => type === 'mcp_approval_request');
    const answer = {
      type: 'mcp_approval_response',
      approval_request_id: asked?.id,
      approve: true,
    };
    return (other) =>
      other.post('/v1/responses', { model, input: [answer], previous_response_id: id });
  },
  'ag-ui': async (client, threadId, content) => {
    const route = '/agent/WORKING_ITEMS/ag-ui';
    const forwardedProps = { turnpike: { opts: { mode: 'direct' } } };
    const messages = [{ id: 'u1', role: 'user', content }];
    const run = { threadId, runId: 'asks', messages, forwardedProps };
    await post(client, route, run);
    const interruptId = await idOfQuestion(client, threadId);
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
    return (other) => post(other, route, { ...run, runId: 'answers', messages: [], resume });
  },
};

/** As a stream: its status is there before its events. */
async function post({ url }: Client, route: string, body: object): Answered {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + route, { method: 'POST', body: JSON.stringify(body), headers });
  await answer.text();
  return answer;
}

/** The open question about a call with a text. */
async function questionAbout(client: Client, text: string): Promise<Json> {
  const { body } = await client.get('/api/harness/approvals?limit=100');
  const found = (body['approvals'] as Json[]).find((one) => JSON.stringify(one).includes(text));
  if (found === undefined) throw new Error(`Nobody asks about ${text}`);
  return found;
}

async function idOfQuestion(client: Client, text: string): Promise<string> {
  return String((await questionAbout(client, text))['approvalId']);
}

/**
 * Asks `rounds` questions by each of two wires, and answers each at every process at once: yes by its own wire, yes and
 * no by the API's route.
 *
 * @param projectRoot where the calls write a file each.
 */
export async function raceForQuestions(
  urls: readonly string[],
  projectRoot: string,
  rounds: number,
): Promise<RacedQuestion[]> {
  const clients = urls.map((url) => new Client(url));
  const [first] = clients;
  if (first === undefined) throw new Error('There is no process');
  const raced: RacedQuestion[] = [];
  for (const [wire, ask] of Object.entries(wires)) {
    for (let round = 1; round <= rounds; round += 1) {
      const name = `${wire}-${round}`;
      const text = `[[tool=write {"file_path":"${name}.txt","content":"x"}]]`;
      const answer = await ask(first, name, text);
      const { approvalId, turnId } = await questionAbout(first, `${name}.txt`);
      const route = `/api/harness/approvals/${String(approvalId)}`;
      const answers = clients.flatMap((client) => [
        { decision: 'approve', sent: answer(client) },
        { decision: 'approve', sent: client.post(route, { decision: 'approve' }) },
        { decision: 'deny', sent: client.post(route, { decision: 'deny' }) },
      ]);
      const taken: string[] = [];
      for (const { decision, sent } of answers)
        if ((await sent).status === 200) taken.push(decision);
      const log = await (await first.follow(String(turnId))).all();
      raced.push({
        taken,
        told: log
          .filter(({ event }) => event === 'approval:resolve')
          .map(({ data }) => String(data['decision'])),
        runs: log.filter(({ data }) => data['status'] === 'success').length,
        isWritten: existsSync(path.join(projectRoot, `${name}.txt`)),
      });
    }
  }
  return raced;
}
