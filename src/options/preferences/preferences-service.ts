import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { OptionLoader } from '../option-loader.js';
import { optionRules } from '../option-rules.js';
import { AuditLog } from '../../access/audit-log.js';
import {
  viewAgentConfig,
  viewPreferences,
  type PreferenceValues,
  PreferencesStore,
  type StoredPreferences,
} from './preferences-store.js';
import { resolvePreferences, type EffectivePreference } from './effective-preferences.js';
import type { AgentConfigDto } from '../agent-config.dto.js';
import { compact } from '../../platform/compact.js';
import type { PreferencesDto } from './preferences.dto.js';

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

  async changeAgentConfig(userId: string, change: AgentConfigDto): Promise<PreferenceValues> {
    return viewAgentConfig(await this.#change(userId, change));
  }

  async resetAgentConfig(userId: string, fields: readonly string[]): Promise<PreferenceValues> {
    return viewAgentConfig(await this.#reset(userId, fields));
  }

  async models(userId: string): Promise<PreferenceValues> {
    return viewPreferences(await this.store.get(userId), this.#defaultModel);
  }

  async changeModels(userId: string, change: PreferencesDto): Promise<PreferenceValues> {
    const stored = await this.#change(userId, change);
    return viewPreferences(stored, this.#defaultModel);
  }

  async resetModels(userId: string, fields: readonly string[]): Promise<PreferenceValues> {
    const stored = await this.#reset(userId, fields);
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

  async #reset(userId: string, given: readonly string[]): Promise<StoredPreferences> {
    const fields = [...new Set(given)];
    const stored = await this.store.reset(userId, fields);
    await this.#note(userId, { reset: fields });
    return stored;
  }

  async #change(userId: string, given: PreferencesDto): Promise<StoredPreferences> {
    const change = compact(given);
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
