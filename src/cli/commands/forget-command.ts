import type { PrincipalReport } from '../../client/turnpike-client.js';
import type { StoredData } from '../../server/open-stored-data.js';
import { confirm } from '../terminal/terminal-input.js';
import { runOnData } from '../data/run-on-data.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';

const options = {
  'dry-run': { type: 'boolean', default: false },
  projects: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/**
 * `turnpike forget PRINCIPAL`: deletes all that is stored of a principal, after a question at the terminal.
 *
 * @returns the exit code: 0; 1 when it failed or the answer was no; 2 for a wrong call.
 */
export function forgetCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values, positionals } = parseCall(args, { options, allowPositionals: true });
    const { 'dry-run': isDry, projects, yes, json, url } = values;
    const [principal, ...more] = positionals;
    if (principal === undefined || more.length > 0) {
      throw new UsageError('turnpike forget PRINCIPAL; --dry-run shows what there is');
    }
    const canAsk = process.stdin.isTTY && process.stderr.isTTY;
    if (!isDry && !yes && !canAsk) {
      throw new UsageError(
        `This deletes all that is stored of ${principal}, and cannot be undone: call it with --yes, or with --dry-run to see what there is`,
      );
    }
    const print = (report: PrincipalReport, verb: string): void => {
      const text = json ? JSON.stringify(report) : describe(principal, report, { verb, projects });
      process.stdout.write(`${text}\n`);
    };
    const run = async (data: StoredData): Promise<number> => {
      if (isDry || !yes) {
        const report = await data.count(principal);
        print(report, 'Stored');
        if (isDry) return 0;
        if (!(await confirm('Delete all of it? It cannot be undone. [y/N] '))) return 1;
      }
      print(await data.forget(principal, { projects }), 'Deleted');
      return 0;
    };
    return { url, run };
  });
}

function describe(
  principal: string,
  report: PrincipalReport,
  { verb, projects }: { verb: string; projects: boolean },
): string {
  const { projectFolder, ...counts } = report;
  const lines = Object.entries(counts).map(([what, count]) => `  ${words(what)}: ${count}`);
  const folder = projects ? [`  project folder: ${projectFolder}`] : [];
  return [`${verb} of ${principal}:`, ...lines, ...folder].join('\n');
}

/** `fileBytes` → `file bytes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
