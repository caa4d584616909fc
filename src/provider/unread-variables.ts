import type { Environment } from '../config/config.js';
import type { Logger } from '../platform/logger.js';
import type { CloudName } from '../config/variable-forms.js';

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

/** The profiles that a variable is for. */
const profiles: Readonly<Record<string, CloudName>> = {
  ANTHROPIC_AWS_API_KEY: 'aws',
  ANTHROPIC_AWS_WORKSPACE_ID: 'aws',
  ANTHROPIC_FOUNDRY_API_KEY: 'foundry',
  ANTHROPIC_FOUNDRY_RESOURCE: 'foundry',
  ANTHROPIC_GOOGLE_CLOUD_PROJECT: 'google-cloud',
  ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID: 'google-cloud',
  ANTHROPIC_VERTEX_PROJECT_ID: 'vertex',
  CLAUDE_CODE_USE_BEDROCK: 'bedrock',
  CLAUDE_CODE_USE_FOUNDRY: 'foundry',
  CLAUDE_CODE_USE_VERTEX: 'vertex',
};

/** The variables of programs for Claude that are set and not read, each with what to set. Pure. */
export function unreadVariables(
  environment: Environment,
  profile: string = 'anthropic',
): { variable: string; instead: string }[] {
  return Object.keys(environment)
    .filter((name) => /^ANTHROPIC_|^CLAUDE_CODE_USE_/.test(name) && name !== READ)
    .filter((name) => profiles[name] !== profile && environment[name] !== '')
    .sort()
    .map((variable) => ({
      variable,
      instead: remedyFor(variable),
    }));
}

function remedyFor(variable: string): string {
  const profile = profiles[variable];
  if (profile !== undefined) {
    return `set TURNPIKE_PROVIDER_PROFILE=${profile}, if turns are to go there`;
  }
  return remedies[variable] ?? `no setting is like it; of these variables ${READ} alone is read`;
}

/** Warns of each: a setting without effect is found before the first turn goes to another address or model. */
export function warnOfUnread(
  environment: Environment,
  profile: string,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const unread of unreadVariables(environment, profile)) {
    logger.warn(
      unread,
      'Turnpike does not read this variable of the environment; `instead` says what to set',
    );
  }
}
