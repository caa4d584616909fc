import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { SchemaChecks } from '../../output/schema-checks.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { Price, ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { OutputPlan } from '../output/output-state.js';
import { openFrame } from '../prompt/open-frame.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import type { RequestFrame } from '../prompt/request-frame.js';

/** The model calls of a run, as they depend on the model. */
export interface ModelTerms {
  /** The parts of every request beside its messages. */
  frame: RequestFrame;
  /** Price of the model's tokens; undefined where it is not known. */
  price: Price | undefined;
  /** Tokens of a reply at most, where the options have no limit. */
  maxTokens: number;
  /** Tokens from which the model's window counts as full. */
  fullContext: number;
  /** Retries of a step whose stream ends with an overload. */
  overloadRetries: number;
}

export interface ModelCalls extends ModelTerms {
  /** The terms with other options, for a turn that goes on with another model. */
  describe(options: ResolvedOptions): ModelTerms;
}

/** Describes the model calls of a run: request frame, price and limits, and the object they end with. */
@Injectable()
export class CallDescriber {
  constructor(
    private readonly models: ModelCatalogue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxTokens' | 'overloadRetries'>,
    private readonly transcripts: TranscriptBuilder,
    private readonly checks: SchemaChecks,
  ) {}

  /** The object that the calls are to end with; undefined: they end with text. */
  planOutput({ output }: ResolvedOptions): OutputPlan | undefined {
    if (output === undefined) return undefined;
    const { repairs, schema } = output;
    return { repairs, check: (value) => this.checks.check(schema, value) };
  }

  /**
   * @param hasTools whether the model may call any of the tools in the prefix.
   * @param responses what the wire says of tools: that none is to be called, or one at a time.
   */
  describe(
    options: ResolvedOptions,
    {
      prefix,
      hasTools,
      responses,
    }: { prefix: RequestPrefix; hasTools: boolean; responses: StoredRequest['responses'] },
  ): ModelTerms {
    const { maxTokens, overloadRetries } = this.config;
    const model = this.models.describe(options.model);
    return {
      frame: {
        ...openFrame(model, { options, prefix, maxTokens }),
        ...toolTerms(hasTools, responses),
      },
      price: model.price,
      maxTokens,
      fullContext: this.transcripts.fullContext(options.model),
      overloadRetries,
    };
  }
}

function toolTerms(
  hasTools: boolean,
  responses: StoredRequest['responses'],
): { isToolless: boolean; isOneCall: boolean } {
  const { request = responses } = responses?.answers?.at(-1) ?? {};
  return {
    isToolless: !hasTools || request?.toolChoice === 'none',
    isOneCall: request?.parallelToolCalls === false,
  };
}
