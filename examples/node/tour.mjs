/** A tour of the typed client in Node: see README.md beside this file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TurnpikeClient, TurnpikeError } from 'turnpike/client';

const client = new TurnpikeClient({
  url: process.env.TURNPIKE_URL ?? 'http://127.0.0.1:4400',
  key: process.env.TURNPIKE_API_KEY,
  onRetry: ({ attempt, delayMs }) =>
    console.log(`  (try ${attempt} failed; next in ${delayMs} ms)`),
});
const projectRoot = await mkdtemp(path.join(tmpdir(), 'tour-'));
const { sessionId } = await client.sessions.create({ projectRoot });
try {
  await resume();
  await approve();
  await upload();
  await refuse();
} finally {
  await client.sessions.delete(sessionId);
  await rm(projectRoot, { recursive: true });
}

/** Leaves a turn in its middle, and reads the rest as a second reader. */
async function resume() {
  console.log('== A turn, and the rest of it for a second reader');
  const turn = await client.turn({ sessionId, message: 'Count. [[tokens=40 gap=20]]' });
  /** The text by step. */
  const said = [];
  const take = ({ event, data }) => {
    if (event === 'chat:delta') said[data.step] = (said[data.step] ?? '') + data.text;
    // A worker died: the step runs again, and what it had said is void.
    if (event === 'step:discard') said[data.step] = '';
  };
  for await (const frame of turn) {
    take(frame);
    if (said.join('').includes('word5')) break;
  }
  console.log(`first reader: ${said.join('')}`);
  const rest = client.follow(turn.turnId, { after: turn.lastEventId });
  for await (const frame of rest) take(frame);
  console.log(`both readers: ${said.join('')}`);
  console.log((await rest.result()).outcome);
}

/** Answers the question that parks a turn. */
async function approve() {
  console.log('== A tool call that needs a person');
  const message = 'Make notes. [[tool=write {"file_path":"notes.txt","content":"Hello"}]]';
  const turn = await client.turn({ sessionId, message });
  for await (const { event, data } of turn) {
    if (event === 'approval:request') {
      console.log(`may ${data.name} run? ${JSON.stringify(data.input)}`);
      await client.approvals.approve(data.approvalId);
    }
    if (event === 'tool:result') console.log(`${data.name}: ${data.status}`);
  }
  console.log((await turn.result()).outcome);
}

/** Sends a file, and names it in a turn. */
async function upload() {
  console.log('== A file');
  const file = new File(['One, two, three.'], 'count.txt');
  const uploaded = await client.uploads.send(file, {
    onProgress: ({ sent, total }) => console.log(`${sent} of ${total} bytes`),
  });
  const turn = await client.turn({ sessionId, message: 'Read it.', attachments: [uploaded] });
  console.log((await turn.result()).text);
}

/** A refusal says what is wrong, and whether the same request may work later. */
async function refuse() {
  console.log('== A refusal');
  try {
    await client.turn({ sessionId: 'sess_00000000-0000-4000-8000-000000000000', message: 'Hello' });
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error;
    console.log(`${error.code} ${error.status}: ${error.message} Again? ${error.retryable}`);
  }
}
