const shellNames = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'];
const ours = /^(ANTHROPIC|CHIRALITY|TURNPIKE)_|^(REDIS|DATABASE)_URL$/;

/**
 * The environment of a command: the variables of `source` in `names` (default: PATH, HOME, LANG, TERM and
 * TMPDIR), but never the server's own configuration and keys.
 */
export function pickShellEnv(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = shellNames,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of names) {
    const value = source[name];
    if (value !== undefined && !ours.test(name)) env[name] = value;
  }
  return env;
}

/** Injects the environment of commands, without any of the server's own configuration. */
export const SHELL_ENV = Symbol('ShellEnv');
