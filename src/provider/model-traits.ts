/** What is known of a model by its name. Names nobody knows get what every model can do. */
export interface ModelTraits {
  /** Tokens of a request and its reply together. */
  contextWindow: number;
  /** Whether a conversation may hold system messages (`role: "system"`): others refuse the call. */
  takesSystemMessages: boolean;
  seesImages: boolean;
  readsPdfs: boolean;
}

const CONTEXT_WINDOW = 200_000;
const LARGE_WINDOW = 1_000_000;

/** The first version of each family that takes system messages inside a conversation. */
const systemMessagesSince = 4.8;

/** Models from before PDFs, and from before images. */
const withoutPdfs = /^claude-(?:3-(?:opus|sonnet|haiku)|2|instant)/;
const withoutImages = /^claude-(?:2|instant)/;

/** @param model as requests have it: `claude-opus-4-8`, `claude-sonnet-4-20250514`. */
export function traitsOf(model: string): ModelTraits {
  const named = /^claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:-(\d{1,2}))?(?=-|\[|$)/.exec(model);
  const version = named === null ? 0 : Number(`${named[1]}.${named[2] ?? 0}`);
  return {
    contextWindow: model.endsWith('[1m]') ? LARGE_WINDOW : CONTEXT_WINDOW,
    takesSystemMessages: version >= systemMessagesSince,
    seesImages: !withoutImages.test(model),
    readsPdfs: !withoutPdfs.test(model),
  };
}
