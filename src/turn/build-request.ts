import type { ModelRequest } from '../provider/model-types.js';
import { buildMessages, type TurnTranscript } from './build-messages.js';
import { elideOutputs } from './elide-outputs.js';
import { elidedThrough } from './elided-through.js';
import type { TurnRun } from './turn-run.js';

/** The next model call of a run, with all the room a reply may have. Pure. */
export function buildRequest(run: TurnRun): ModelRequest {
  const { model, maxTokens = run.limits.maxTokens, thinking, citations } = run.turn.options.options;
  return {
    model,
    system: run.system,
    messages: buildMessages([...run.earlierTurns, currentTurn(run)], run.model),
    tools: run.toolSpecs,
    maxTokens,
    thinking,
    citations,
  };
}

function currentTurn(run: TurnRun): TurnTranscript {
  const { steps: finished, results, notices, joined } = run.progress;
  const { status, endReason } = run.turn;
  const said = { userParts: run.userParts, notices, joined };
  const turn = { ...said, steps: finished, results, status, endReason };
  return elideOutputs(turn, elidedThrough(finished, run.limits.fullContext));
}
