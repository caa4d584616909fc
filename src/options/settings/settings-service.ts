import { viewAgentConfig, viewSettings, type Settings } from './model-settings.js';
import { readChange } from './read-change.js';
import type { SettingsStore } from './settings-store.js';

/** Settings as clients see them: whole, with the defaults of what was not set. */
export class SettingsService {
  /** @param defaultModel of a user who chose none. */
  constructor(
    private readonly store: SettingsStore,
    private readonly defaultModel: string,
  ) {}

  async agentConfig(userId: string): Promise<Settings> {
    return viewAgentConfig(await this.store.get(userId));
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeAgentConfig(userId: string, body: unknown): Promise<Settings> {
    return viewAgentConfig(await this.store.change(userId, readChange(body, 'agentConfig')));
  }

  async resetAgentConfig(userId: string): Promise<Settings> {
    return viewAgentConfig(await this.store.reset(userId));
  }

  async models(userId: string): Promise<Settings> {
    return viewSettings(await this.store.get(userId), this.defaultModel);
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeModels(userId: string, body: unknown): Promise<Settings> {
    const stored = await this.store.change(userId, readChange(body, 'models'));
    return viewSettings(stored, this.defaultModel);
  }
}
