import { parseArgs } from 'node:util';
import { SimulatedDatabase } from './database.js';
import { makeFolders } from './folders.js';
import { runSchedule, STARTED_AT, type ScheduleOutcome } from './run-schedule.js';
import { useVirtualGlobals } from './virtual-globals.js';

const usage = `npm run simulate -- [options]
  --seed N        the first seed (default: a new one)
  --schedules N   number of schedules, one a seed (100)
  --minutes N     real time, in place of a number of schedules
  --faults N      most faults of a schedule (3)
  --trace         the trace of each schedule, not only of those with violations`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    schedules: { type: 'string', default: '100' },
    minutes: { type: 'string' },
    faults: { type: 'string', default: '3' },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The probability of a fault at each step of a server. */
const FAULT_CHANCE = 0.004;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) write(usage);
else process.exitCode = (await simulate()) ? 0 : 1;

/** @returns whether no schedule had a violation. */
async function simulate(): Promise<boolean> {
  const first = Number(values.seed ?? Date.now() % 1_000_000_000);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const most = minutes === undefined ? Number(values.schedules) : Infinity;
  const begin = performance.now();
  const isOver = (): boolean =>
    minutes !== undefined && performance.now() - begin > minutes * 60_000;
  const restore = useVirtualGlobals({ now: () => STARTED_AT, random: () => Math.random });
  const database = await SimulatedDatabase.open();
  restore();
  const folders = await makeFolders();
  const run = (seed: number, faults: number): Promise<ScheduleOutcome> =>
    runSchedule({ seed, database, folders, faults: { most: faults, chance: FAULT_CHANCE } });
  // The first schedule loads modules, in the machine's own time.
  await run(0, 0);
  const started = performance.now();
  const sums = { schedules: 0, turns: 0, faults: 0, steps: 0 };
  const failed: number[] = [];
  for (let seed = first; seed < first + most && !isOver(); seed += 1) {
    const outcome = await run(seed, Number(values.faults));
    sums.schedules += 1;
    sums.turns += outcome.turns;
    sums.faults += outcome.faults;
    sums.steps += outcome.steps;
    if (outcome.violations.length > 0) failed.push(seed);
    if (outcome.violations.length > 0 || values.trace) write(report(seed, outcome));
  }
  await database.close();
  const seconds = (performance.now() - started) / 1_000;
  const pace = Math.round((sums.schedules / seconds) * 60);
  write(
    `${sums.schedules} schedules from seed ${first}: ${sums.turns} turns, ${sums.faults} faults, ${sums.steps} steps in ${seconds.toFixed(1)} s (${pace} schedules a minute); ${failed.length} with violations${failed.length === 0 ? '' : `: ${failed.join(' ')}`}`,
  );
  return failed.length === 0;
}

function report(seed: number, { violations, trace }: ScheduleOutcome): string {
  const found = violations.map(({ kind, turnId, note }) => `  ${kind} ${turnId}: ${note}`);
  return [
    `Seed ${seed}:`,
    ...found,
    ...trace,
    `Again: npm run simulate -- --seed ${seed} --schedules 1`,
  ].join('\n');
}
