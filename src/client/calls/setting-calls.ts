import type { Transport } from '../transport/transport.js';
import type { AgentConfigSettings, EffectiveSetting, Settings } from '../server-types.js';

const limits = '/api/settings/agent-config';
const models = '/api/settings/models';

/**
 * The user's preferences: `client.settings`. A change with a wrong field saves nothing; the error's
 * `details` has `{loc, msg, type}` of each wrong field.
 */
export class SettingCalls {
  constructor(private readonly transport: Transport) {}

  /** The limits of the user's turns. */
  get(): Promise<AgentConfigSettings> {
    return this.transport.json({ path: limits });
  }

  /** Changes limits, from the next turn on. */
  update(change: Partial<AgentConfigSettings>): Promise<AgentConfigSettings> {
    return this.transport.json({ method: 'PUT', path: limits, body: change });
  }

  /** Resets limits to their defaults. @param fields default: all limits. */
  reset(fields?: readonly (keyof AgentConfigSettings)[]): Promise<AgentConfigSettings> {
    return this.transport.json({ method: 'POST', path: `${limits}/reset`, ...asBody(fields) });
  }

  /** Limits and models: the saved values, and the values that turns of each wire run with. */
  async effective(): Promise<EffectiveSetting[]> {
    const { settings } = await this.transport.json<{ settings: EffectiveSetting[] }>({
      path: '/api/settings/effective',
    });
    return settings;
  }

  /** The limits and the models. */
  getAll(): Promise<Settings> {
    return this.transport.json({ path: models });
  }

  updateAll(change: Settings): Promise<Settings> {
    return this.transport.json({ method: 'PUT', path: models, body: change });
  }

  /** Resets limits and models to their defaults. @param fields default: all of them. */
  resetAll(fields?: readonly string[]): Promise<Settings> {
    return this.transport.json({ method: 'POST', path: `${models}/reset`, ...asBody(fields) });
  }
}

function asBody(fields: readonly string[] | undefined): { body?: object } {
  return fields === undefined ? {} : { body: { fields } };
}
