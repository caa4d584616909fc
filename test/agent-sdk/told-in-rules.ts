import type { ToldDifference } from './differences.js';

const planDenies = 'In the mode plan what does more than read is denied, and nobody is asked.';
const writeCounts =
  'A rule that denies paths of Write has no effect there; what it was meant to hold back is held back here.';
const homeUnknown =
  'The home of the server’s user is not known to a program: a denial of it is about every call.';
const oneFolder = 'The file tools work in the folder of the session alone, whatever a rule allows.';
const providerFetches = 'Pages are fetched by the provider, where the operator lets it.';
const notOffered = 'A tool that is denied as a whole is not offered.';

/** Differences in the group of rules, by the mode and the rules of a case. */
export const toldInRules: readonly ToldDifference[] = [
  ...inPlan([
    'none',
    'allow Bash(touch *)',
    'allow Bash(touch:*)',
    'allow Edit(src/**)',
    'allow Edit(/src/**)',
    'deny Edit(new.txt), allow Edit',
    'deny Edit(/new.txt), allow Edit',
    'allow Write(src/**)',
    'deny Write(new.txt), allow Edit',
    'deny Edit(~/new.txt), allow Edit',
    'deny Edit(//<project>/src/**), allow Edit',
    'deny Edit(/<project>/src/**), allow Edit: its one slash is of the settings',
    'allow Edit(//<project>/src/**)',
    'ask Bash(touch *), allow Bash',
    'ask Edit(src/**), allow Edit',
    'allow mcp__shop',
    'allow mcp__shop__*',
  ]),
  ...['default', 'acceptEdits'].flatMap((mode) => [
    ...told(mode, writeCounts, ['deny Write(new.txt), allow Edit']),
    ...told(mode, homeUnknown, ['deny Edit(~/new.txt), allow Edit']),
  ]),
  ...['default', 'acceptEdits', 'plan', 'dontAsk'].flatMap((mode) => [
    ...told(mode, oneFolder, ['allow Read(//etc/**)']),
    ...told(mode, providerFetches, ['deny WebFetch(domain:a.example)']),
  ]),
  ...told('bypassPermissions', notOffered, ['deny mcp__shop__*']),
];

function inPlan(rules: readonly string[]): ToldDifference[] {
  return told('plan', planDenies, rules);
}

function told(mode: string, why: string, rules: readonly string[]): ToldDifference[] {
  return rules.map((rule) => ({
    group: 'rules',
    name: `${mode}: ${rule}`,
    aspects: ['calls', 'asked', 'files', 'failed', 'notes'],
    why,
  }));
}
