import { providerVariables } from './variables/provider-variables.js';
import { serverVariables } from './variables/server-variables.js';
import { toolVariables } from './variables/tool-variables.js';
import { turnVariables } from './variables/turn-variables.js';

/** The variables under the headings of the documentation. */
export const variableGroups = {
  'Serving clients, storage and logs': serverVariables,
  'Model and provider': providerVariables,
  'Tools, sandbox, MCP and memory': toolVariables,
  'Agents, sessions, turns and files': turnVariables,
};

/** Every variable of the configuration. */
export const variables = {
  ...serverVariables,
  ...providerVariables,
  ...toolVariables,
  ...turnVariables,
};
