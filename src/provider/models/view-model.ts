import type { Price, Effort } from '../../storage/shapes/stored-options.js';
import { compact } from '../../platform/compact.js';
import type { Lifecycle, Model, ThinkingKind } from '../model.js';

/** A model as clients see it: `GET /api/harness/models`. */
export interface ListedModel {
  /** The value for `opts.model`. */
  id: string;
  /** The display name. */
  name: string;
  lifecycle: Lifecycle;
  /** ISO date of the planned retirement; absent: none is planned. */
  retiresAt?: string;
  /** Tokens of a request and its reply together. */
  contextWindow: number;
  /** Most tokens of one reply. */
  maxOutput: number;
  thinking: {
    /** Kinds that a request may ask for, in the API's words; empty: the model does not think. */
    kinds: readonly ThinkingKind[];
    /** Whether a request without `thinking` thinks. */
    byDefault: 'always' | 'on' | 'off';
  };
  effort: {
    /** From least to most; empty: there is no choice. */
    levels: readonly Effort[];
    default?: Effort;
  };
  seesImages: boolean;
  readsPdfs: boolean;
  /** US dollars for a million tokens; absent: not known. */
  price?: Price;
}

export function viewModel(model: Model): ListedModel {
  const { id, name, lifecycle, retiresAt, contextWindow, maxOutput, defaultEffort, price } = model;
  return compact({
    id,
    name,
    lifecycle,
    retiresAt,
    contextWindow,
    maxOutput,
    thinking: { kinds: model.thinking, byDefault: model.thinksByDefault },
    effort: compact({ levels: model.efforts, default: defaultEffort }),
    seesImages: model.seesImages,
    readsPdfs: model.readsPdfs,
    price,
  });
}
