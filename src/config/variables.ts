import { providerVariables } from './variables/provider-variables.js';
import { serverVariables } from './variables/server-variables.js';
import { toolVariables } from './variables/tool-variables.js';
import { turnVariables } from './variables/turn-variables.js';

/** Every variable of the configuration. The documentation's table is generated from it. */
export const variables = {
  ...serverVariables,
  ...providerVariables,
  ...toolVariables,
  ...turnVariables,
};
