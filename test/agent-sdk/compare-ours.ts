import { rmSync } from 'node:fs';
import path from 'node:path';
import { newFolder } from '../support/suite.js';
import type { AgentSdk } from './agent-sdk.js';
import type { Case, Group } from './case.js';
import { groups as allGroups } from './cases/groups.js';
import { compareOutcomes, type Difference } from './compare-outcomes.js';
import { toldDifferences } from './differences.js';
import { isToldEverywhere } from './told-everywhere.js';
import { expectedOutcomes } from './expected-outcomes.js';
import { normalise, type Outcome } from './normalise.js';
import { ourNames, type ToolNames } from './our-names.js';
import { changedFiles, readProject, writeProject } from './project-folder.js';
import { recordCase, type Entry } from './record.js';
import { startScriptedMessages } from './scripted-messages.js';

/** The SDK that is compared. */
export interface Side {
  /** An SDK over a server that asks the model at `modelUrl`, for one case whose project is `folder`. */
  open(place: {
    modelUrl: string;
    folder: string;
  }): Promise<{ sdk: AgentSdk; close(): Promise<unknown> }>;
  /** What its models call the tools of scripts. Default: `ourNames`. */
  names?: ToolNames;
}

/** `told`: it differs where `differences.ts` says so. `stale`: it is equal, though that says it differs. */
export type Verdict = 'equal' | 'told' | 'untold' | 'stale';

export interface Compared {
  group: string;
  name: string;
  verdict: Verdict;
  /** Of `untold`, those that are not told. */
  differences: Difference[];
}

/** How long a case of ours may take, before it counts as failed. */
const CASE_TIMEOUT_MS = 60_000;

/**
 * Runs every case over ours and compares it with what the real SDK gave. It needs no real one.
 *
 * @param groups default: all of them.
 */
export async function compareOurs(
  side: Side,
  groups: readonly Group[] = allGroups,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const group of groups) {
    const expected = expectedOutcomes(group.name);
    for (const one of group.cases) {
      const ours = await outcomeOfOurs(side, group, one);
      compared.push(judge(group.name, one.name, compareOutcomes(expected[one.name] ?? {}, ours)));
    }
  }
  return compared;
}

/** What a case gives over ours, normalised. */
export async function outcomeOfOurs(
  { open, names = ourNames }: Side,
  group: Group,
  one: Case,
): Promise<Outcome> {
  const home = newFolder();
  const project = path.join(home, 'project');
  writeProject(project, one.files ?? {});
  const before = readProject(project);
  const model = await startScriptedMessages(one.script, { project, rename: names.call });
  const entries: Entry[] = [];
  try {
    const { sdk, close } = await open({ modelUrl: model.url, folder: project });
    try {
      await withinTime(
        recordCase(one, sdk, project, (entry) => entries.push(entry)),
        one.name,
      );
    } finally {
      await close();
    }
    const files = changedFiles(before, readProject(project));
    const { faults } = model;
    const requests = names.requests(model.requests);
    const recording = { project, entries: asJson(entries), files, requests, faults };
    return normalise(recording, [...group.aspects, ...(one.also ?? [])]);
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** As entries of the real one are, which come over a pipe: without what is undefined. */
function asJson(entries: readonly Entry[]): Entry[] {
  return JSON.parse(JSON.stringify(entries)) as Entry[];
}

async function withinTime(work: Promise<void>, name: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fault = new Error(`'${name}' did not end within ${CASE_TIMEOUT_MS} ms.`);
    timer = setTimeout(() => reject(fault), CASE_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function judge(group: string, name: string, all: readonly Difference[]): Compared {
  const found = all.filter(({ says }) => !isToldEverywhere(says));
  const told = toldDifferences.filter((entry) => entry.group === group && entry.name === name);
  const aspects = told.flatMap((entry) => entry.aspects);
  const untold = found.filter(({ aspect }) => !aspects.includes(aspect));
  if (untold.length > 0) return { group, name, verdict: 'untold', differences: untold };
  if (found.length > 0) return { group, name, verdict: 'told', differences: [...found] };
  return { group, name, verdict: told.length > 0 ? 'stale' : 'equal', differences: [] };
}
