import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { estimateParts, estimateText } from '../../provider/estimate-tokens.js';
import type { Model } from '../../provider/model.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { StoredTurn } from '../state/stored-turn.js';
import type { TurnTranscript } from './build-messages.js';
import { elideOutputs } from './elide-outputs.js';
import { elidedThrough } from './elided-through.js';
import { fitOutputs } from './fit-outputs.js';

/** Builds transcripts of stored turns, as they are sent to models. */
@Injectable()
export class TranscriptBuilder {
  constructor(
    private readonly models: ModelCatalogue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'compactPercent'>,
  ) {}

  /** Tokens from which the window of a model counts as full. */
  fullContext(model: string): number {
    return this.models.describe(model).contextWindow * (this.config.compactPercent / 100);
  }

  /** Tokens of turns, estimated. */
  estimate(turns: readonly TurnTranscript[], model: string): number {
    const described = this.models.describe(model);
    const sizes = turns.map(({ userParts, steps, results }) => {
      const parts = [...userParts, ...steps.flatMap((step) => step.parts)];
      const outputs = [...results.values()].map(({ output }) => output ?? '');
      return estimateParts(parts, described) + estimateText(outputs.join('\n'), described);
    });
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** The turns without their files: those are shown together. */
  build(stored: readonly StoredTurn[]): TurnTranscript[] {
    return stored.map((turn) => this.#buildOne(turn));
  }

  #buildOne(stored: StoredTurn): TurnTranscript {
    const { turn } = stored;
    const transcript: TurnTranscript = {
      turnId: turn.id,
      userParts: [],
      asked: stored.userParts,
      steps: stored.steps,
      results: new Map(stored.calls.map((call) => [call.callId, call])),
      notices: stored.notices,
      steered: stored.steered,
      status: turn.status,
      endReason: turn.endReason,
    };
    const { model } = turn.options.options;
    return shortenOutputs(transcript, {
      model: this.models.describe(model),
      full: this.fullContext(model),
      elidedThrough: turn.elidedThrough,
    });
  }
}

/**
 * A turn with the outputs of its tools as they were sent when it ran: an output that was cut stays cut,
 * or every later turn would be as long as the one that filled the window. Pure.
 */
export function shortenOutputs(
  turn: TurnTranscript,
  limits: {
    model: Pick<Model, 'contextWindow' | 'tokenScale'>;
    full: number;
    elidedThrough: number;
  },
): TurnTranscript {
  const { model } = limits;
  const estimate = (text: string): number => estimateText(text, model);
  const fitted = fitOutputs(turn, model.contextWindow, estimate);
  const through = Math.max(limits.elidedThrough, elidedThrough(turn.steps, limits.full));
  return elideOutputs(fitted, through);
}
