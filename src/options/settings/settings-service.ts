import type { AuditLog } from '../../access/audit-log.js';
import { viewAgentConfig, viewSettings, type Settings } from './model-settings.js';
import { readChange } from './read-change.js';
import type { StoredSettings, SettingsStore } from './settings-store.js';

/** Settings as clients see them: whole, with the defaults of what was not set. */
export class SettingsService {
  /** @param defaultModel of a user who chose none. */
  constructor(
    private readonly store: SettingsStore,
    private readonly defaultModel: string,
    private readonly audit: Pick<AuditLog, 'write'>,
  ) {}

  async agentConfig(userId: string): Promise<Settings> {
    return viewAgentConfig(await this.store.get(userId));
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeAgentConfig(userId: string, body: unknown): Promise<Settings> {
    return viewAgentConfig(await this.#change(userId, readChange(body, 'agentConfig')));
  }

  async resetAgentConfig(userId: string): Promise<Settings> {
    const stored = await this.store.reset(userId);
    await this.#note(userId, { reset: 'agent-config' });
    return viewAgentConfig(stored);
  }

  async models(userId: string): Promise<Settings> {
    return viewSettings(await this.store.get(userId), this.defaultModel);
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeModels(userId: string, body: unknown): Promise<Settings> {
    const stored = await this.#change(userId, readChange(body, 'models'));
    return viewSettings(stored, this.defaultModel);
  }

  async #change(userId: string, change: Settings): Promise<StoredSettings> {
    const stored = await this.store.change(userId, change);
    await this.#note(userId, { fields: Object.keys(change) });
    return stored;
  }

  /** Which fields, not what they were set to. */
  #note(userId: string, details: Record<string, unknown>): Promise<void> {
    return this.audit.write({
      principalId: userId,
      action: 'settings.changed',
      subject: userId,
      details,
    });
  }
}
