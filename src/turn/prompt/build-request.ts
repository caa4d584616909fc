import { compact } from '../../platform/compact.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import { buildMessages, type ShownResult, type TurnTranscript } from './build-messages.js';
import type { PartKeys } from './leave-out.js';
import { requestOf } from './request-frame.js';
import { shortenOutputs } from './transcript-builder.js';
import type { TurnRun } from '../state/turn-run.js';

type RequestSource = Pick<TurnRun, 'turn' | 'storedParts' | 'progress' | 'model' | 'conversation'>;

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

/** The turn that runs, as it is sent. Pure. */
export function currentTurn(run: RequestSource): TurnTranscript {
  const { steps, notices, steered, elidedThrough } = run.progress;
  const { id: turnId, status, endReason } = run.turn;
  const { userParts, outputFiles } = run.conversation;
  const results = new Map<string, ShownResult>(run.progress.results);
  for (const [callId, shown] of outputFiles) {
    const result = results.get(callId);
    if (result !== undefined) results.set(callId, { ...result, shown });
  }
  const turn = {
    turnId,
    userParts,
    asked: run.storedParts,
    notices,
    steered,
    steps,
    results,
    status,
    endReason,
  };
  return shortenOutputs(turn, {
    model: run.model.frame.model,
    full: run.model.fullContext,
    elidedThrough,
  });
}
