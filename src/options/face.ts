/** What a request asks for: its fields, and how they are resolved. For wires and features. */

export { nameInNamespace, parseClientTools } from './client-tools.js';
export { OptionLoader } from './option-loader.js';
export { optionFields } from './option-rule.js';
export { parseReplaced } from './option-rules.js';
export { OptionsModule } from './options.module.js';
export { TurnOptionsDto } from './turn-options.dto.js';
export { unusedFields } from './unused-fields.js';
