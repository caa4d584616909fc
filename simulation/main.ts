import { parseArgs } from 'node:util';
import { SimulatedDatabase } from './database.js';
import { makeFolders } from './folders.js';
import { runSchedule, STARTED_AT, type ScheduleOutcome } from './run-schedule.js';
import { shrink, type Less } from './shrink.js';
import { useVirtualGlobals } from './virtual-globals.js';

const usage = `npm run simulate -- [options]
  --seed N        the first seed (default: a new one)
  --schedules N   number of schedules, one a seed (100)
  --step N        from one seed to the next (1); from seed 2 on, 5 is all schedules that branch
  --minutes N     real time, in place of a number of schedules
  --faults N      most faults of a schedule (3)
  --without N,…   numbers of faults that do not come
  --leave-out N,… numbers of sessions that are left out
  --until-violation   ends after the first schedule with a violation
  --trace         the trace of each schedule, not only of those with violations
  --mutants       runs trees with faults, which have to be found; with --schedules N (300), --only NN`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    schedules: { type: 'string', default: '100' },
    minutes: { type: 'string' },
    step: { type: 'string', default: '1' },
    faults: { type: 'string', default: '3' },
    without: { type: 'string', default: '' },
    'leave-out': { type: 'string', default: '' },
    'until-violation': { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    // The script gives it.
    database: { type: 'string', default: '' },
  },
});

/** The probability of a fault at each step of a server. */
const FAULT_CHANCE = 0.004;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) write(usage);
else process.exitCode = (await simulate()) ? 0 : 1;

/** @returns whether no schedule had a violation. */
async function simulate(): Promise<boolean> {
  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : numberOf('seed');
  const minutes = values.minutes === undefined ? undefined : numberOf('minutes');
  const most = minutes === undefined ? numberOf('schedules') : Infinity;
  const begin = performance.now();
  const isOver = (): boolean =>
    minutes !== undefined && performance.now() - begin > minutes * 60_000;
  const restore = useVirtualGlobals({ now: () => STARTED_AT, random: () => Math.random });
  const database = await SimulatedDatabase.open(values.database);
  restore();
  const folders = await makeFolders();
  const of = { database, folders };
  const given: Less = {
    faults: { most: numberOf('faults'), chance: FAULT_CHANCE, without: listed(values.without) },
    withoutSessions: listed(values['leave-out']),
  };
  // The first schedule loads modules, in the machine's own time.
  await runSchedule({ seed: 0, ...of, faults: { most: 0, chance: 0 } });
  const started = performance.now();
  const sums = { schedules: 0, turns: 0, faults: 0, steps: 0 };
  const failed: number[] = [];
  const step = numberOf('step');
  for (let seed = first; sums.schedules < most && !isOver(); seed += step) {
    const outcome = await runSchedule({ seed, ...of, ...given });
    sums.schedules += 1;
    sums.turns += outcome.turns;
    sums.faults += outcome.faults;
    sums.steps += outcome.steps;
    if (outcome.violations.length > 0) {
      failed.push(seed);
      if (values['until-violation']) {
        write(report(seed, outcome, given));
        break;
      }
      const run = (less: Less) => runSchedule({ seed, ...of, ...less });
      const smallest = await shrink(outcome, given, run);
      write(report(seed, smallest.outcome, smallest.less));
    } else if (values.trace) write(report(seed, outcome, given));
  }
  await database.close();
  const seconds = (performance.now() - started) / 1_000;
  const pace = Math.round((sums.schedules / seconds) * 60);
  write(
    `${sums.schedules} schedules from seed ${first}: ${sums.turns} turns, ${sums.faults} faults, ${sums.steps} steps in ${seconds.toFixed(1)} s (${pace} schedules a minute); ${failed.length} with violations${failed.length === 0 ? '' : `: ${failed.join(' ')}`}`,
  );
  return failed.length === 0;
}

function report(seed: number, { violations, trace }: ScheduleOutcome, less: Less): string {
  const found = violations.map(({ kind, turnId, note }) => `  ${kind} ${turnId}: ${note}`);
  const { most, without = [] } = less.faults;
  const options = [
    `--seed ${seed} --schedules 1 --faults ${most}`,
    ...(without.length > 0 ? [`--without ${without.join()}`] : []),
    ...(less.withoutSessions.length > 0 ? [`--leave-out ${less.withoutSessions.join()}`] : []),
  ];
  const again = `Again: npm run simulate -- ${options.join(' ')}`;
  return [`Seed ${seed}:`, ...found, ...trace, again].join('\n');
}

/** @throws Error for anything but a number from 0 on: nothing that did not run may look clean. */
function numberOf(option: 'seed' | 'schedules' | 'step' | 'minutes' | 'faults'): number {
  const value = Number(values[option]);
  if (value >= 0) return value;
  throw new Error(`--${option} takes a number from 0 on, and got ${values[option]}`);
}

function listed(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}
