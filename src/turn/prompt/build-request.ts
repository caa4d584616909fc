import type { ModelRequest } from '../../provider/model-types.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import { buildMessages, type TurnTranscript } from './build-messages.js';
import { requestOf } from './request-frame.js';
import { shortenOutputs } from './transcript-builder.js';
import type { TurnRun } from '../state/turn-run.js';

/** The next model request of a run, with the largest reply it may have, and the prefix that thinking is bound to. Pure. */
export function buildRequest(run: TurnRun): { request: ModelRequest; sent: SentPrefix | null } {
  const { maxTokens = run.model.maxTokens } = run.turn.options.options;
  const { frame } = run.model;
  const { summary } = run;
  const turns = [...run.earlierTurns, currentTurn(run)];
  const { messages, sent } = buildMessages(turns, { ...frame, summary });
  const most = Math.min(maxTokens, frame.model.maxOutput);
  return { request: { ...requestOf(frame), messages, maxTokens: most }, sent };
}

function currentTurn(run: TurnRun): TurnTranscript {
  const { steps, results, notices, steered, elidedThrough } = run.progress;
  const { id: turnId, status, endReason } = run.turn;
  const { userParts } = run;
  const turn = { turnId, userParts, notices, steered, steps, results, status, endReason };
  return shortenOutputs(turn, {
    model: run.model.frame.model,
    full: run.model.fullContext,
    elidedThrough,
  });
}
