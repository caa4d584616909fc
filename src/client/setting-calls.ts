import type { Line } from './transport.js';
import type { AgentConfigSettings, EffectiveSetting, Settings } from './server-types.js';

const limits = '/api/settings/agent-config';
const models = '/api/settings/models';

/**
 * The user's settings: `client.settings`. Of a change that has a field which is wrong nothing is
 * saved; the error's `details` has `{loc, msg, type}` of each.
 */
export class SettingCalls {
  constructor(private readonly line: Line) {}

  /** The limits of the user's turns. */
  get(): Promise<AgentConfigSettings> {
    return this.line.json({ path: limits });
  }

  /** From the next turn on. */
  update(change: Partial<AgentConfigSettings>): Promise<AgentConfigSettings> {
    return this.line.json({ method: 'PUT', path: limits, body: change });
  }

  /** Limits back to their defaults. @param fields absent: all of them. */
  reset(fields?: readonly (keyof AgentConfigSettings)[]): Promise<AgentConfigSettings> {
    return this.line.json({ method: 'POST', path: `${limits}/reset`, ...asBody(fields) });
  }

  /** Limits and models: what was saved, and what turns of each wire run with. */
  async effective(): Promise<EffectiveSetting[]> {
    const { settings } = await this.line.json<{ settings: EffectiveSetting[] }>({
      path: '/api/settings/effective',
    });
    return settings;
  }

  /** Everything: the models, and the limits among it. */
  getAll(): Promise<Settings> {
    return this.line.json({ path: models });
  }

  updateAll(change: Settings): Promise<Settings> {
    return this.line.json({ method: 'PUT', path: models, body: change });
  }

  /** Limits and models back to their defaults. @param fields absent: all of them. */
  resetAll(fields?: readonly string[]): Promise<Settings> {
    return this.line.json({ method: 'POST', path: `${models}/reset`, ...asBody(fields) });
  }
}

function asBody(fields: readonly string[] | undefined): { body?: object } {
  return fields === undefined ? {} : { body: { fields } };
}
