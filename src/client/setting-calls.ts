import type { Line } from './line.js';
import type { AgentConfigSettings, Settings } from './server-types.js';

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

  /** Every limit back to its default. */
  reset(): Promise<AgentConfigSettings> {
    return this.line.json({ method: 'POST', path: `${limits}/reset` });
  }

  /** Everything: the models, and the limits among it. */
  getAll(): Promise<Settings> {
    return this.line.json({ path: models });
  }

  updateAll(change: Settings): Promise<Settings> {
    return this.line.json({ method: 'PUT', path: models, body: change });
  }
}
