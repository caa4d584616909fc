/**
 * Writes the generated parts of the documentation between their markers, `<!-- generated: NAME -->` and
 * `<!-- end -->`. With `--check` it writes nothing and fails if a part is out of date. Broken links and names of
 * source files that are gone always fail. It writes as well what is generated of the source, and the golden files of all
 * error sentences and log lines, so that a change of one is seen.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { controllerFiles, describeApi, describeRoutes } from './describe-routes.mjs';
import { describeRows, describeTypes } from './describe-types.mjs';
import { describePython } from './describe-python.mjs';
import { describeCommands } from './describe-commands.mjs';
import { describeWires } from './describe-wires.mjs';
import { describeErrorSentences, describeLogLines } from './describe-sentences.mjs';
import { describeShapes } from './describe-shapes.mjs';
import { importSource } from './import-source.mjs';
import { slugOf } from './slug-of.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const outdated = [];

// Before the source is imported, which has these files among it.
writeSource('src/app/api-shapes.ts', describeShapes());
const streams = describeTypes();
writeSource('src/http/fields/api-types.json', streams);
writeSource('src/features/portability/stored-types.json', describeRows());
writeSource('test/golden/error-sentences.txt', describeErrorSentences());
writeSource('test/golden/log-lines.txt', describeLogLines());

const [
  { describeVariables },
  { agentConfigFields },
  { permissionTable },
  { delegationTable },
  { terminationTable },
  { triggerTable },
  { strictRules },
  { profiles },
  { errorTable },
  access,
  { providerReasons },
  { loadShapes },
  { allCommands },
  ...controllers
] = await importSource([
  'src/config/variables',
  'src/governance/decision-tree/agent-config',
  'src/governance/permissions/decide-permission',
  'src/governance/permissions/subagent-gate',
  'src/governance/limits/termination-checks',
  'src/governance/notices/triggers',
  'rehearsal/rules/strict-rules',
  'rehearsal/models/profiles',
  'src/errors/error-table',
  'src/access/owned.decorator',
  'src/provider/provider-errors',
  'src/app/describe-api',
  'src/cli/program',
  ...controllerFiles(),
]);

const parts = {
  configuration: describeVariables,
  permissions: describePermissions,
  delegation: describeDelegation,
  limits: describeLimits,
  endings: describeEndings,
  triggers: describeTriggers,
  rules: describeRules,
  profiles: describeProfiles,
  events: describeEvents,
  frames: describeFrames,
  decisions: describeDecisions,
  errors: describeErrors,
  reasons: describeReasons,
  routes: () => routes,
  commands: () => commands,
  ...describeWires(vocabulary().map(([{ type }]) => type.slice(1, -1))),
};
await loadShapes();
const document = await describeApi(controllers, access);
const routes = describeRoutes(document);
const schemas = { ...JSON.parse(streams).schemas, ...document.components.schemas };
writeSource('clients/python/turnpike/types.py', describePython(schemas));
const commands = await describeCommands(allCommands);
const written = new Set();

for (const name of await documents()) {
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

writeSource('llms.txt', await describeForAgents());

const sources = await sourceFiles();
const broken = (await documents()).flatMap((page) => [...brokenLinks(page), ...goneFiles(page)]);
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`);
  process.exitCode = 1;
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

/** Writes a generated file of the source, where it is not as it should be. */
function writeSource(name, text) {
  const file = path.join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  outdated.push(name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
}

/** The broken links of a page, to files and to headings. @param {string} page */
function brokenLinks(page) {
  const text = readFileSync(path.join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  const links = [...text.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
  return links.flatMap(([, target = '', heading]) => {
    const file = target === '' ? page : path.join(path.dirname(page), target);
    const isThere = existsSync(path.join(root, file));
    const isFound = isThere && (heading === undefined || headingsOf(file).has(heading));
    return isFound ? [] : [`${page}: there is no ${target}${heading ? `#${heading}` : ''}`];
  });
}

/** The source files that a page names and that are gone. @param {string} page */
function goneFiles(page) {
  const text = readFileSync(path.join(root, page), 'utf8');
  const names = [...text.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.tsx?)`/g)].map(([, name = '']) => name);
  return names
    .filter((name) => !sources.some((file) => file === name || file.endsWith(`/${name}`)))
    .map((name) => `${page}: there is no ${name}`);
}

/** @returns {Promise<string[]>} */
async function sourceFiles() {
  const folders = [
    'src',
    'rehearsal',
    'web',
    'test',
    'bench',
    'simulation',
    'scripts',
    'examples',
    'packages',
  ];
  const found = folders.map((folder) => readdir(path.join(root, folder), { recursive: true }));
  return (await Promise.all(found)).flatMap((files, i) =>
    files.map((file) => `${folders[i]}/${file}`),
  );
}

/** The anchors of a file's headings. @param {string} file */
function headingsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => slugOf(title)));
}

/** Markdown files that may have markers. */
async function documents() {
  const folders = ['docs', 'examples'].map(async (folder) => {
    const files = await readdir(path.join(root, folder), { recursive: true });
    return files.map((name) => path.join(folder, name));
  });
  const pages = (await Promise.all(folders))
    .flat()
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
  const beside = ['rehearsal', 'simulation', 'test/e2e/crash', 'test/golden'].map(
    (name) => `${name}/README.md`,
  );
  const first = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'test/evidence.md'];
  return [...first, ...beside, ...pages.toSorted()];
}

/** The pages of the manual with what each begins with, for coding agents: https://llmstxt.org. */
async function describeForAgents() {
  const pages = (await documents()).filter((name) => /^docs\/(?!internals\/)/.test(name));
  const lines = pages.map((page) => {
    const text = readFileSync(path.join(root, page), 'utf8');
    const [, title, about = ''] = /^# (.+)\n+((?:[^\n]+\n)+)/.exec(text) ?? [];
    const sentence = /^.*?\.(?= |$)/.exec(about.trim().replaceAll('\n', ' '))?.[0] ?? '';
    return `- [${title}](${page})${sentence === '' ? '' : `: ${plain(sentence)}`}`;
  });
  const about = 'An agent turn server: durable turns, resumable streams, one command to start.';
  return `# Turnpike\n\n> ${about}\n\n## Manual\n\n${lines.join('\n')}\n`;
}

/** Text without its links, which would lead elsewhere from here. */
function plain(text) {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}

/** The members of the vocabulary's union with their fields, parsed from the text: types do not exist at run time. */
function vocabulary() {
  const name = 'src/events/turn-event.ts';
  const text = readFileSync(path.join(root, name), 'utf8');
  const { statements } = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const union = statements.find(
    (one) => ts.isTypeAliasDeclaration(one) && one.name.text === 'TurnEventBody',
  ).type;
  return union.types.map(({ members }) =>
    members.map(({ name: field, questionToken, type }) => ({
      field: field.getText(),
      mark: questionToken === undefined ? '' : '?',
      type: type.getText(),
    })),
  );
}

function describeEvents() {
  const rows = vocabulary().map(([{ type }, ...rest]) => {
    const listed = rest.map(({ field, mark }) => `\`${field}${mark}\``).join(', ');
    return `| \`${type.slice(1, -1)}\` | ${listed} |`;
  });
  return ['| event | fields |', '| --- | --- |', ...rows].join('\n');
}

function describeFrames() {
  const { properties: frames } = JSON.parse(streams).schemas.HarnessFrames;
  const rows = Object.entries(frames).map(([name, { properties = {}, required = [] }]) => {
    const listed = Object.keys(properties).map(
      (field) => `\`${field}${required.includes(field) ? '' : '?'}\``,
    );
    return `| \`${name}\` | ${listed.join(', ')} |`;
  });
  return ['| frame | fields |', '| --- | --- |', ...rows].join('\n');
}

/** A heading for each code, which the `type` of a problem leads to. */
function describeErrors() {
  const again = (retryable) => (retryable ? ', retryable' : '');
  const sections = Object.entries(errorTable).map(([code, entry]) => {
    const { status, retryable, means, action, cases = {} } = entry;
    const others = Object.values(cases).map(
      (other) => `- ${other.status}${again(other.retryable)}: ${other.means}.`,
    );
    return [
      `## ${code.toLowerCase().replaceAll('_', '-')}`,
      `\`${code}\`, ${status}${again(retryable)}. ${means} ${action}`,
      ...(others.length === 0 ? [] : ['Its other statuses:', others.join('\n')]),
    ].join('\n\n');
  });
  return sections.join('\n\n');
}

function describeReasons() {
  const rows = Object.entries(providerReasons).map(
    ([reason, { means, advice = '' }]) => `| \`${reason}\` | ${means} | ${advice} |`,
  );
  return ['| reason | means | what to do |', '| --- | --- | --- |', ...rows].join('\n');
}

function describeDecisions() {
  const folder = 'docs/internals/decisions';
  const files = readdirSync(path.join(root, folder)).filter((name) => /^\d/.test(name));
  const rows = files.toSorted().map((file) => {
    const text = readFileSync(path.join(root, folder, file), 'utf8');
    const [, number, title] =
      /^# (\d+)\. (.*)\n\n\S+ · .*\n/.exec(text) ?? stop(`${file} has no date and status`);
    return `${number}. [${title}](${file})`;
  });
  return rows.join('\n');
}

/** @returns {never} */
function stop(message) {
  throw new Error(message);
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
        `${model.window / 1_000}K / ${model.maxOutputTokens / 1_000}K`,
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
  return ['| notice | level | sent when | sent again |', '| --- | --- | --- | --- |', ...rows].join(
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
