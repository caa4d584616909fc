const shellNames = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'];
const ours = /^(ANTHROPIC|CHIRALITY|TURNPIKE)_|^(REDIS|DATABASE)_URL$/;

/**
 * The environment a command may see: of `source` only `names` (PATH, HOME, LANG, TERM and TMPDIR
 * unless told otherwise), and of those never the server's own settings and keys.
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
