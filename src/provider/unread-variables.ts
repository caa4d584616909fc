import type { Environment } from '../config/config.js';
import type { Logger } from '../platform/logger.js';

/** What to set in place of a variable that other programs for Claude read. */
const remedies: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL:
    'set TURNPIKE_PROVIDER_BASE_URL, TURNPIKE_PROVIDER_PROFILE to the server that is there, and, unless it is on this machine, TURNPIKE_EGRESS_ALLOW to its origin; a host with a private address also needs TURNPIKE_EGRESS_PRIVATE_HOSTS',
  ANTHROPIC_AUTH_TOKEN: 'set ANTHROPIC_API_KEY to the token; it is sent as Authorization: Bearer',
  ANTHROPIC_MODEL: 'set TURNPIKE_MODEL',
  ANTHROPIC_SMALL_FAST_MODEL: 'there is one default model, TURNPIKE_MODEL; agents may have others',
  ANTHROPIC_DEFAULT_OPUS_MODEL: 'set TURNPIKE_MODEL',
  ANTHROPIC_DEFAULT_SONNET_MODEL: 'set TURNPIKE_MODEL',
  ANTHROPIC_DEFAULT_HAIKU_MODEL: 'set TURNPIKE_MODEL',
  ANTHROPIC_CUSTOM_HEADERS:
    'Turnpike adds no headers to requests to the model; set TURNPIKE_PROVIDER_BASE_URL to a gateway that adds them',
  ANTHROPIC_LOG: 'set TURNPIKE_LOG_LEVEL',
};

const READ = 'ANTHROPIC_API_KEY';

/** The variables ANTHROPIC_… that are set and not read, each with what to set. Pure. */
export function unreadVariables(environment: Environment): { variable: string; instead: string }[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('ANTHROPIC_') && name !== READ && environment[name] !== '')
    .sort()
    .map((variable) => ({
      variable,
      instead:
        remedies[variable] ?? `no setting is like it; of these variables ${READ} alone is read`,
    }));
}

/** Warns of each: a setting without effect is found before the first turn goes to another address or model. */
export function warnOfUnread(environment: Environment, logger: Pick<Logger, 'warn'>): void {
  for (const unread of unreadVariables(environment)) {
    logger.warn(
      unread,
      'Turnpike does not read this variable of the environment; `instead` says what to set',
    );
  }
}
