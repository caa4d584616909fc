import { markerOf } from '../plan/plan-turn.mjs';

/** @typedef {import('../types.js').Violation} Violation */

/** The tool that has effects. */
const EFFECT_TOOL = 'bash';

/**
 * Checks that each command that left a trace, or that the ledger says ran, was allowed by the tool hook before.
 *
 * @param {readonly { turnId: string, calls: import('../types.js').TurnRows['calls'] }[]} turns
 * @param {ReadonlyMap<string, number>} lines marker → how often it was written
 * @param {ReadonlyMap<string, import('../types.js').HookRecord>} asked by turn and call
 * @returns {Violation[]}
 */
export function checkHook(turns, lines, asked) {
  const forged = [...asked.values()].filter(({ isSigned }) => !isSigned);
  return [
    ...turns.flatMap(({ turnId, calls }) =>
      calls.flatMap(({ callId, name, status, command = '' }) => {
        const count = lines.get(markerOf(command) ?? '') ?? 0;
        const hasRun = count > 0 || status === 'success';
        const answers = asked.get(`${turnId} ${callId}`)?.answers ?? [];
        if (name !== EFFECT_TOOL || !hasRun || answers.includes('allow')) return [];
        const note = `${callId} (${status}) wrote ${count} lines; the hook said: ${answers.join() || 'nothing'}`;
        return [{ kind: /** @type {const} */ ('ran-unasked'), turnId, note }];
      }),
    ),
    ...forged.map(({ turnId, callId }) => ({
      kind: /** @type {const} */ ('hook-forged'),
      turnId,
      note: callId,
    })),
  ];
}
