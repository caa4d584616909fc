import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { hookAnswerOf } from '../plan/plan-turn.mjs';
import { isSignedWith } from './is-signed-with.mjs';
import { listen } from './listen.mjs';
import { sleep } from './world.mjs';

/** Most milliseconds of an answer, in which a server may die. */
const ANSWER_MS = 60;

/** @typedef {import('../types.js').HookRecord} HookRecord */

/**
 * A tool hook that answers as each call's plan says, and keeps what it answered.
 *
 * @typedef {object} Hook
 * @property {Record<string, string>} environment the variables of a server that asks it
 * @property {Map<string, HookRecord>} asked by turn and call
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<Hook>} */
export async function startHook() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  /** @type {Map<string, HookRecord>} */
  const asked = new Map();
  const { url, close } = await listen(async (request, response) => {
    const body = await text(request);
    const isSigned = isSignedWith(secret, request.headers, body);
    const { turnId, callId, input } = JSON.parse(body).data;
    const answer = hookAnswerOf(input);
    const id = `${turnId} ${callId}`;
    const known = asked.get(id) ?? { turnId, callId, answers: [], isSigned: true };
    known.answers.push(answer);
    asked.set(id, { ...known, isSigned: known.isSigned && isSigned });
    await sleep(Math.random() * ANSWER_MS);
    if (answer === 'broken') response.writeHead(500).end();
    else response.writeHead(200).end(JSON.stringify({ decision: answer, reason: 'planned' }));
  });
  return {
    environment: { TURNPIKE_TOOL_HOOK_URL: url, TURNPIKE_TOOL_HOOK_SECRET: secret },
    asked,
    close,
  };
}
