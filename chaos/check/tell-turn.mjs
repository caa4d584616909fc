/**
 * @typedef {object} ToldTurn
 * @property {string} text of all steps that were not discarded, in order
 * @property {string | undefined} completeText what `chat:complete` says it is
 * @property {{ outcome: unknown, exitCode: unknown, reason: unknown } | undefined} end
 * @property {unknown} exitCode of `process:exit`
 * @property {Map<string, unknown>} results status of each tool call
 */

/**
 * What a stream tells of a turn, as a user interface would show it at the end.
 *
 * @param {readonly import('../types.js').Frame[]} frames
 * @returns {ToldTurn}
 */
export function tellTurn(frames) {
  /** @type {Map<number, string>} */
  const steps = new Map();
  /** @type {ToldTurn} */
  const told = {
    text: '',
    completeText: undefined,
    end: undefined,
    exitCode: undefined,
    results: new Map(),
  };
  for (const { event, data } of frames) {
    if (event === 'step:discard') steps.delete(Number(data['step']));
    if (event === 'chat:delta') {
      const step = Number(data['step']);
      steps.set(step, (steps.get(step) ?? '') + String(data['text']));
    }
    if (event === 'tool:result') told.results.set(String(data['toolUseId']), data['status']);
    if (event === 'chat:complete') told.completeText = String(data['text']);
    if (event === 'process:exit') told.exitCode = data['exitCode'];
    if (event === 'turn:end') {
      told.end = { outcome: data['outcome'], exitCode: data['exitCode'], reason: data['reason'] };
    }
  }
  told.text = [...steps.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
  return told;
}
