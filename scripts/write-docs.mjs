/**
 * Writes what the documentation takes from the code, between its markers:
 * `<!-- generated: NAME -->` … `<!-- end -->`. With `--check` it writes nothing and fails if
 * something is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from './import-source.mjs';

const [
  { describeSettings },
  { agentConfigFields },
  { permissionTable },
  { delegationTable },
  { terminationTable },
  { triggerTable },
  { strictRules },
  { profiles },
] = await importSource([
  'config/describe-settings',
  'governance/decision-tree/agent-config',
  'governance/permissions/decide-permission',
  'governance/permissions/subagent-gate',
  'governance/limits/termination-checks',
  'notices/triggers',
  'rehearsal/rules/strict-rules',
  'rehearsal/models/profiles',
]);

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const parts = {
  configuration: describeSettings,
  permissions: describePermissions,
  delegation: describeDelegation,
  limits: describeLimits,
  endings: describeEndings,
  triggers: describeTriggers,
  rules: describeRules,
  profiles: describeProfiles,
};
const outdated = [];
const written = new Set();

for (const name of ['README.md', 'ARCHITECTURE.md', 'docs/rehearsal.md']) {
  const file = path.join(root, name);
  const before = await readFile(file, 'utf8');
  const after = before.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_all, start, part, end) => {
      written.add(part);
      return `${start}\n${parts[part]()}\n${end}`;
    },
  );
  if (after === before) continue;
  outdated.push(name);
  if (!process.argv.includes('--check')) await writeFile(file, after);
}

const missing = Object.keys(parts).filter((part) => !written.has(part));
if (missing.length > 0) {
  process.stderr.write(`No place for ${missing.join(', ')}: put the markers back\n`);
  process.exitCode = 1;
}
if (outdated.length > 0 && process.argv.includes('--check')) {
  process.stderr.write(`${outdated.join(', ')} out of date: run npm run docs\n`);
  process.exitCode = 1;
}

function describeRules() {
  const rows = Object.entries(strictRules).map(
    ([id, { refuses, status, source }]) => `| \`${id}\` | ${refuses} | ${status} | ${source} |`,
  );
  return ['| rule | refuses | status | source |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function describeProfiles() {
  const yes = (value) => (value ? 'yes' : '');
  const rows = profiles
    .filter(({ lifecycle }) => lifecycle !== 'retired')
    .map((model) =>
      [
        '',
        [model.id, ...model.aliases].map((id) => `\`${id}\``).join(', '),
        `${model.window / 1_000}K / ${model.mostOutput / 1_000}K`,
        `${model.thinking.join(', ')} (${model.thinksByDefault ? 'on' : 'off'})`,
        model.efforts.join(', ') || 'none',
        yes(model.systemMessages),
        yes(model.bindsThinking),
        yes(model.forcesTools),
        yes(model.prefill),
        model.cacheMinimum,
        '',
      ]
        .join(' | ')
        .trim(),
    );
  const head =
    '| model | window / output | thinking (by default) | effort | system messages | binds thinking | forced tools | prefill | least cached |';
  return [head, `|${' --- |'.repeat(9)}`, ...rows].join('\n');
}

function describeLimits() {
  const rows = agentConfigFields.map(
    ({ wireName, default: value, min, max, meaning }) =>
      `| \`${wireName}\` | ${value} | ${min} to ${max} | ${meaning} |`,
  );
  return ['| field | default | bounds | meaning |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function describeEndings() {
  const rows = terminationTable().map(({ reason, when }) => `| \`${reason}\` | ${when} |`);
  return ['| reason | when |', '| --- | --- |', ...rows].join('\n');
}

function describeTriggers() {
  const rows = triggerTable().map(
    ({ id, levels, description, rearms }) =>
      `| \`${id}\` | ${levels.join(', ')} | ${description} | ${rearms} |`,
  );
  return ['| notice | level | said when | again |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function describeDelegation() {
  const rows = delegationTable().map(({ gate, passes }) => `| \`${gate}\` | ${passes} |`);
  return ['| gate | is passed when |', '| --- | --- |', ...rows].join('\n');
}

function describePermissions() {
  const rows = permissionTable().map(
    ({ rule, when, verdict }) => `| ${rule} | ${when} | ${verdict} |`,
  );
  return ['| rule | when | verdict |', '| --- | --- | --- |', ...rows].join('\n');
}
