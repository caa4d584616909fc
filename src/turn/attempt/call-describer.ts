import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { openFrame } from '../prompt/open-frame.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import type { RunLimits, TurnRun } from '../state/turn-run.js';

/** Describes the model calls of a run: request frame, price and limits. */
@Injectable()
export class CallDescriber {
  constructor(
    @Inject(ModelCatalogue) private readonly models: Pick<ModelCatalogue, 'describe'>,
    @Inject(CONFIG) private readonly config: Pick<Config, keyof RunLimits>,
    private readonly transcripts: TranscriptBuilder,
  ) {}

  /** @param hasTools whether the model may call any of the tools in the prefix. */
  describe(
    options: ResolvedOptions,
    { prefix, hasTools }: { prefix: RequestPrefix; hasTools: boolean },
  ): Pick<TurnRun, 'frame' | 'price' | 'limits'> {
    const { maxTokens, overloadRetries } = this.config;
    const model = this.models.describe(options.model);
    const fullContext = this.transcripts.fullContext(options.model);
    return {
      frame: { ...openFrame(model, { options, prefix, maxTokens }), isToolless: !hasTools },
      price: model.price,
      limits: { maxTokens, overloadRetries, fullContext },
    };
  }
}
