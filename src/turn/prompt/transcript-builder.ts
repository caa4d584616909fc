import type { FileShower } from '../../attachments/show/show-files.js';
import { estimateText } from '../../provider/estimate-parts.js';
import type { Model } from '../../provider/models/model.js';
import type { TurnTranscript } from './build-messages.js';
import { elideOutputs } from './elide-outputs.js';
import { elidedThrough } from './elided-through.js';
import { fitOutputs } from './fit-outputs.js';
import type { StoredTurn } from '../state/load-turn.js';
import type { TurnServices } from '../state/turn-services.js';

/** What of a model decides how much is sent. */
type WindowModel = Pick<Model, 'contextWindow' | 'tokenScale'>;

type Windows = Pick<TurnServices, 'settings' | 'models'>;

/** Tokens from which a model's window counts as full. */
export function fullContext({ settings, models }: Windows, model: string): number {
  return models.describe(model).contextWindow * (settings.compactPercent / 100);
}

/** Turns as the model is shown them; the newest gets room for its files first. */
export async function toTranscripts(
  services: Windows,
  stored: readonly StoredTurn[],
  shower: FileShower,
): Promise<TurnTranscript[]> {
  const transcripts = [];
  for (const turn of stored.toReversed()) {
    transcripts.unshift(await toTranscript(services, turn, shower));
  }
  return transcripts;
}

async function toTranscript(
  services: Windows,
  stored: StoredTurn,
  shower: FileShower,
): Promise<TurnTranscript> {
  const { turn } = stored;
  const transcript = {
    turnId: turn.id,
    userParts: (await shower.show(stored.userParts)).parts,
    steps: stored.steps,
    results: new Map(stored.calls.map((call) => [call.callId, call])),
    notices: stored.notices,
    joined: stored.joined,
    status: turn.status,
    endReason: turn.endReason,
  };
  const name = turn.options.options.model;
  return shortenOutputs(transcript, {
    model: services.models.describe(name),
    full: fullContext(services, name),
    elidedThrough: turn.elidedThrough,
  });
}

/**
 * A turn with the outputs of its tools as they were sent when it ran: what was cut stays cut, or every
 * later turn would be as long as the one that filled the window. Pure.
 */
export function shortenOutputs(
  turn: TurnTranscript,
  limits: { model: WindowModel; full: number; elidedThrough: number },
): TurnTranscript {
  const { model } = limits;
  const estimate = (text: string): number => estimateText(text, model);
  const fitted = fitOutputs(turn, model.contextWindow, estimate);
  const through = Math.max(limits.elidedThrough, elidedThrough(turn.steps, limits.full));
  return elideOutputs(fitted, through);
}
