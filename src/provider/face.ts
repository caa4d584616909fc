/** Models, and the parts of messages that are theirs. For wires and features. */

export { nativeSchema } from './anthropic/native-schema.js';
export { serverCallOf, serverResultOf, toSource } from './anthropic/wire-blocks.js';
export { estimateTools } from './estimate-tokens.js';
export { ModelCatalogue } from './model-catalogue.js';
export { USE_TOOL } from './model-types.js';
export type { Model } from './model.js';
export { ProviderModule } from './provider.module.js';
