/**
 * @typedef {object} FoldedTurn
 * @property {string} text of all steps that were not discarded, in order
 * @property {string | undefined} completeText the text of `chat:complete`
 * @property {{ outcome: unknown, exitCode: unknown, reason: unknown } | undefined} end
 * @property {unknown} exitCode of `process:exit`
 * @property {Map<string, unknown>} results status of each tool call
 */

/**
 * Folds a stream into the turn that a user interface would show at the end.
 *
 * @param {readonly import('../types.js').Frame[]} frames
 * @returns {FoldedTurn}
 */
export function foldTurn(frames) {
  /** @type {Map<number, string>} */
  const steps = new Map();
  /** @type {FoldedTurn} */
  const folded = {
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
    if (event === 'tool:result') folded.results.set(String(data['toolUseId']), data['status']);
    if (event === 'chat:complete') folded.completeText = String(data['text']);
    if (event === 'process:exit') folded.exitCode = data['exitCode'];
    if (event === 'turn:end') {
      folded.end = { outcome: data['outcome'], exitCode: data['exitCode'], reason: data['reason'] };
    }
  }
  folded.text = [...steps.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
  // The note of a limit that ended the turn before its first step is in no delta.
  if (steps.size === 0) folded.text = folded.completeText ?? '';
  return folded;
}
