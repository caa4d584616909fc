import { cutText } from '../platform/text/cut-text.js';
import { assertNever } from '../platform/assert-never.js';
import { optionRules } from './option-rules.js';
import type { OptionProblem } from '../storage/shapes/stored-options.js';

const mostShown = 10;
const longestKey = 60;
const longestValue = 120;

/** A line for each problem, as one text for the client; undefined without problems. */
export function describeProblems(problems: readonly OptionProblem[]): string | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, mostShown).map(describe);
  const more = problems.slice(mostShown).reduce((sum, problem) => sum + countOf(problem), 0);
  return [...lines, ...(more > 0 ? [`${more} more ignored`] : [])].join('\n');
}

const countOf = (problem: OptionProblem): number =>
  problem.kind === 'more-unknown' ? problem.count : 1;

function describe(problem: OptionProblem): string {
  switch (problem.kind) {
    case 'not-an-object':
      return 'opts ignored: must be an object; using defaults';
    case 'unknown':
      return `opts.${clip(problem.key, longestKey)} ignored: unknown option; known are ${knownKeys()}`;
    case 'more-unknown':
      return `${problem.count} more unknown options ignored`;
    case 'without-effect':
      return `${clip(problem.key, longestValue)} had no effect: ${problem.reason}`;
    case 'held-mode':
      return `mode ${show(problem.given)} (${problem.from}) ${problem.reason}; using ${problem.using}`;
    case 'invalid':
      return `opts.${problem.key} ignored: must be ${problem.expected}; using ${show(problem.using)} (${problem.from})`;
    default:
      return assertNever(problem);
  }
}

function knownKeys(): string {
  return [...Object.keys(optionRules), 'agentConfig', 'replaces', 'subagentGovernance']
    .sort()
    .join(', ');
}

function show(value: unknown): string {
  // Options without a default have no value to show.
  if (value === undefined) return 'none';
  return clip(typeof value === 'string' ? value : JSON.stringify(value), longestValue);
}

/** Text on one line and short: keys and values are the client's own. */
function clip(text: string, most: number): string {
  return cutText(text.replaceAll(/\p{Cc}/gu, ' '), most + 1);
}
