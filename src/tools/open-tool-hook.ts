import { ConfigError, type Config } from '../config/config.js';
import type { Clock } from '../platform/clock.js';
import { judgeUrl } from '../webhooks/judge-url.js';
import { ToolHook } from './tool-hook.js';

type HookConfig = Pick<Config, 'toolHookUrl' | 'toolHookSecret' | 'toolHookPrivateHosts'>;

/** @returns the hook that is configured; null: none. @throws ConfigError for a URL that nothing is sent to. */
export function openToolHook(config: HookConfig, clock: Clock): ToolHook | null {
  const { toolHookUrl: url, toolHookSecret: secret, toolHookPrivateHosts: listed } = config;
  if (url === undefined || secret === undefined) return null;
  const inside = { variable: 'TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS', listed };
  const verdict = judgeUrl(url, inside);
  if (!verdict.ok) throw new ConfigError([`TURNPIKE_TOOL_HOOK_URL ${verdict.problem}`]);
  return new ToolHook({ url, secret, inside, clock });
}
