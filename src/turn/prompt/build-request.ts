import { compact } from '../../platform/compact.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import { buildMessages, type TurnTranscript } from './build-messages.js';
import type { PartKeys } from './leave-out.js';
import { requestOf } from './request-frame.js';
import { shortenOutputs } from './transcript-builder.js';
import type { TurnRun } from '../state/turn-run.js';

type RequestSource = Pick<TurnRun, 'turn' | 'progress' | 'model' | 'conversation'>;

/** The next model request of a run, with the largest reply it may have, and the prefix that thinking is bound to. Pure. */
export function buildRequest(run: RequestSource): {
  request: ModelRequest;
  sent: SentPrefix | null;
  keys: PartKeys;
} {
  const { frame } = run.model;
  const { earlierTurns, summary } = run.conversation;
  const { maxTokens = run.model.maxTokens } = run.turn.options.options;
  const turns = [...earlierTurns, currentTurn(run)];
  const { messages, sent, keys } = buildMessages(turns, { ...frame, summary });
  const most = Math.min(maxTokens, frame.model.maxOutput);
  const { outputSchema } = frame;
  const request = { ...requestOf(frame), ...compact({ outputSchema }), messages, maxTokens: most };
  return { request, sent, keys };
}

function currentTurn(run: RequestSource): TurnTranscript {
  const { steps, results, notices, steered, elidedThrough } = run.progress;
  const { id: turnId, status, endReason } = run.turn;
  const { userParts } = run.conversation;
  const turn = { turnId, userParts, notices, steered, steps, results, status, endReason };
  return shortenOutputs(turn, {
    model: run.model.frame.model,
    full: run.model.fullContext,
    elidedThrough,
  });
}
