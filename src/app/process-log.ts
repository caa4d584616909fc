import { hideKeys } from '../access/keys/key-secret.js';
import type { Config } from '../config/config.js';
import { createLogger, type Logger } from '../platform/logger.js';
import { type Redact, secretRedactor } from '../platform/text/redact.js';

/** Removes the secrets of a config, and all API keys, from a text. */
export function redactOf({ secrets }: Pick<Config, 'secrets'>): Redact {
  const hideSecrets = secretRedactor(secrets);
  return (text) => hideKeys(hideSecrets(text));
}

/** @param readable lines for people instead of JSON. */
export function openLog(config: Pick<Config, 'logLevel' | 'secrets'>, readable: boolean): Logger {
  return createLogger({ level: config.logLevel, readable, redact: redactOf(config) });
}
