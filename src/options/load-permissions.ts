import type { RuleTool } from '../governance/permission-subject.js';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import { loadFile } from '../parsing/load-file.js';
import { parseYaml } from '../parsing/parse-text.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';

/**
 * Loads the server's policy for tools: a file of YAML or JSON with `allow`, `ask` and `deny`.
 *
 * @param file undefined: no rules.
 * @throws FileInvalidError that lists every fault with its line.
 */
export async function loadPermissions(
  file: string | undefined,
  tools: readonly RuleTool[],
): Promise<PermissionRules> {
  if (file === undefined) return {};
  return loadFile(file, {
    variable: 'TURNPIKE_PERMISSIONS_FILE',
    parseText: parseYaml,
    check: (value) => validatePermissionRules(value ?? {}, tools),
  });
}
