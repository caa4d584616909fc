import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { OptionLoader } from '../option-loader.js';
import { optionRules } from '../option-rules.js';
import { AuditLog } from '../../access/audit-log.js';
import { viewAgentConfig, viewPreferences, type PreferenceValues } from './model-preferences.js';
import { resolvePreferences, type EffectivePreference } from './effective-preferences.js';
import { validateChange, validateReset } from './validate-change.js';
import { PreferencesStore, type StoredPreferences } from './preferences-store.js';

/** Preferences as clients see them: whole, with defaults for what was not saved. */
@Injectable()
export class PreferencesService {
  readonly #defaultModel: string;

  constructor(
    private readonly store: PreferencesStore,
    private readonly options: OptionLoader,
    private readonly audit: AuditLog,
    @Inject(CONFIG) { model }: Pick<Config, 'model'>,
  ) {
    this.#defaultModel = optionRules.model.parse(model) ?? optionRules.model.fallback();
  }

  async agentConfig(userId: string): Promise<PreferenceValues> {
    return viewAgentConfig(await this.store.get(userId));
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeAgentConfig(userId: string, body: unknown): Promise<PreferenceValues> {
    return viewAgentConfig(await this.#change(userId, validateChange(body, 'agentConfig')));
  }

  /** @throws ValidationDetailError; nothing is reset then. */
  async resetAgentConfig(userId: string, body: unknown): Promise<PreferenceValues> {
    return viewAgentConfig(await this.#reset(userId, validateReset(body, 'agentConfig')));
  }

  async models(userId: string): Promise<PreferenceValues> {
    return viewPreferences(await this.store.get(userId), this.#defaultModel);
  }

  /** @throws ValidationDetailError; nothing is saved then. */
  async changeModels(userId: string, body: unknown): Promise<PreferenceValues> {
    const stored = await this.#change(userId, validateChange(body, 'models'));
    return viewPreferences(stored, this.#defaultModel);
  }

  /** @throws ValidationDetailError; nothing is reset then. */
  async resetModels(userId: string, body: unknown): Promise<PreferenceValues> {
    const stored = await this.#reset(userId, validateReset(body, 'models'));
    return viewPreferences(stored, this.#defaultModel);
  }

  /** Lists each preference: the saved value, and the value in force on each wire. */
  async effective(userId: string): Promise<EffectivePreference[]> {
    const [stored, server] = await Promise.all([
      this.store.get(userId),
      this.options.serverDefaults(),
    ]);
    return resolvePreferences(stored, server);
  }

  async #reset(userId: string, fields: readonly string[]): Promise<StoredPreferences> {
    const stored = await this.store.reset(userId, fields);
    await this.#note(userId, { reset: fields });
    return stored;
  }

  async #change(userId: string, change: PreferenceValues): Promise<StoredPreferences> {
    const stored = await this.store.change(userId, change);
    await this.#note(userId, { fields: Object.keys(change) });
    return stored;
  }

  /** Names of the changed fields, without their values. */
  #note(userId: string, details: Record<string, unknown>): Promise<void> {
    return this.audit.write({
      principalId: userId,
      action: 'settings.changed',
      subject: userId,
      details,
    });
  }
}
