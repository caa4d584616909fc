import { providerSettings } from './settings/provider-settings.js';
import { serverSettings } from './settings/server-settings.js';
import { toolSettings } from './settings/tool-settings.js';
import { turnSettings } from './settings/turn-settings.js';

/** Every variable of the configuration: the documentation's table is generated from it. */
export const settings = {
  ...serverSettings,
  ...providerSettings,
  ...toolSettings,
  ...turnSettings,
};
