import type { AuditLog } from '../../access/keys/audit-log.js';
import { viewAgentConfig, viewSettings, type Settings } from './model-settings.js';
import {
  effectiveSettings,
  type EffectiveSetting,
  type ServerDefaults,
} from './effective-settings.js';
import { readChange, readReset } from './read-change.js';
import type { StoredSettings, SettingsStore } from './settings-store.js';

export interface SettingsDeps {
  store: SettingsStore;
  /** Of a user who chose none. */
  defaultModel: string;
  audit: Pick<AuditLog, 'write'>;
  /** What applies where a user set nothing. */
  serverDefaults(): Promise<ServerDefaults>;
}

/** Settings as clients see them: whole, with the defaults of what was not set. */
export class SettingsService {
  constructor(private readonly deps: SettingsDeps) {}

  async agentConfig(userId: string): Promise<Settings> {
    return viewAgentConfig(await this.deps.store.get(userId));
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeAgentConfig(userId: string, body: unknown): Promise<Settings> {
    return viewAgentConfig(await this.#change(userId, readChange(body, 'agentConfig')));
  }

  /** @throws ValidationDetailError; nothing is reset then. */
  async resetAgentConfig(userId: string, body: unknown): Promise<Settings> {
    return viewAgentConfig(await this.#reset(userId, readReset(body, 'agentConfig')));
  }

  async models(userId: string): Promise<Settings> {
    return viewSettings(await this.deps.store.get(userId), this.deps.defaultModel);
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeModels(userId: string, body: unknown): Promise<Settings> {
    const stored = await this.#change(userId, readChange(body, 'models'));
    return viewSettings(stored, this.deps.defaultModel);
  }

  /** @throws ValidationDetailError; nothing is reset then. */
  async resetModels(userId: string, body: unknown): Promise<Settings> {
    const stored = await this.#reset(userId, readReset(body, 'models'));
    return viewSettings(stored, this.deps.defaultModel);
  }

  /** What was saved beside what is in force, wire by wire. */
  async effective(userId: string): Promise<EffectiveSetting[]> {
    const [stored, server] = await Promise.all([
      this.deps.store.get(userId),
      this.deps.serverDefaults(),
    ]);
    return effectiveSettings(stored, server);
  }

  async #reset(userId: string, fields: readonly string[]): Promise<StoredSettings> {
    const stored = await this.deps.store.reset(userId, fields);
    await this.#note(userId, { reset: fields });
    return stored;
  }

  async #change(userId: string, change: Settings): Promise<StoredSettings> {
    const stored = await this.deps.store.change(userId, change);
    await this.#note(userId, { fields: Object.keys(change) });
    return stored;
  }

  /** Which fields, not what they were set to. */
  #note(userId: string, details: Record<string, unknown>): Promise<void> {
    return this.deps.audit.write({
      principalId: userId,
      action: 'settings.changed',
      subject: userId,
      details,
    });
  }
}
