import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { publishedManifest } from '../../scripts/published-manifest.mjs';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { lockedPackages, manifest } from '../support/package/manifest.js';
import { runNpm } from '../support/package/run-npm.js';
import { newFolder } from '../support/suite.js';

describe('the package', () => {
  let files: readonly string[];
  beforeAll(async () => {
    // Of the build that is there: the scripts of a real `npm pack` are `test/release/package.test.ts`.
    const packed = await runNpm(packageRoot, 'pack', '--dry-run', '--json', '--ignore-scripts');
    const [{ files: listed }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    files = listed.map((file) => file.path);
  });

  it('has what the server needs, the manual, and no sources, tests or maps', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'package.json',
        'dist/main.js',
        'dist/run-checks.js',
        'dist/run-engine.js',
        'dist/run-extractor.js',
        'dist/empty-database.tar.gz',
        'dist/migrations/meta/_journal.json',
        'dist/third-party-licenses.txt',
        'dist/web/index.html',
        'dist/swagger-ui/swagger-ui-bundle.js',
        'instructions/agents/AGENT_WORKING_ITEMS.md',
        'docs/README.md',
        'llms.txt',
      ]),
    );
    const whole =
      /^(README\.md|LICENSE|package\.json|llms\.txt|instructions\/.*\.md|docs\/.*\.(md|png))$/;
    const built =
      /^dist\/(?!.*(\.test\.|\.map$))(.*(\.js|\.d\.ts|\.txt)|commit|empty-database\.tar\.gz)$/;
    const served = /^dist\/(web|swagger-ui|migrations)\//;
    const others = files.filter(
      (file) => ![whole, built, served].some((pattern) => pattern.test(file)),
    );
    expect(others).toEqual([]);
    expect(files.filter((file) => /\.map$|\.test\./.test(file))).toEqual([]);
  });

  it('has the files that its manifest names', () => {
    const { bin, exports } = manifest;
    const named = [
      ...Object.values(bin),
      ...Object.values(exports).flatMap((to) =>
        typeof to === 'string' ? [to] : Object.values(to),
      ),
    ];
    expect(
      named.map((file) => path.normalize(file)).filter((file) => !files.includes(file)),
    ).toEqual([]);
  });

  it('has a manifest that npm publishes as it is', async () => {
    const folder = newFolder();
    const copy = path.join(folder, 'package.json');
    await copyFile(path.join(packageRoot, 'package.json'), copy);
    // What this changes, `npm publish` would change: a command that it takes for invalid is left out.
    await runNpm(folder, 'pkg', 'fix', '--workspaces=false');
    expect(JSON.parse(await readFile(copy, 'utf8'))).toEqual(manifest);
  });

  it('is shown under the name in its manifest, which code does not have', async () => {
    const shown = (await Promise.all(['README.md', 'docs', 'examples'].map(readTexts))).flat();
    const imported = shown.flatMap(({ file, text }) =>
      // Not `@ag-ui/client`: the name has the scope and more.
      [...text.matchAll(/'((?:@[\w.-]+\/)?[\w.-]+)\/(?:client(?:\/ai-sdk)?|extend)'/g)].map(
        ([, name = '']) => ({ file, name }),
      ),
    );
    const wrong = imported.filter(({ name }) => name !== manifest.name && !isOther(name));
    // To rename it: the manifest, `npm install` for the lock file, and what this lists.
    expect([imported.length > 0, wrong]).toEqual([true, []]);
    const installs = new RegExp(`^npm install \\.\\./${manifest.name}/${manifest.name}-\\d`, 'm');
    expect(shown.filter(({ text }) => installs.test(text)).length).toBeGreaterThan(0);
    const code = (await Promise.all(['scripts', 'src', 'test', 'web'].map(readTexts))).flat();
    const quoted = new RegExp(`['"]${manifest.name}/(client|extend)`);
    expect(code.filter(({ text }) => quoted.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the workflow that publishes', () => {
  interface Job {
    needs?: string;
    permissions?: Record<string, string>;
    steps: { run?: string; uses?: string; with?: Record<string, unknown> }[];
  }
  let text: string;
  let jobs: Record<string, Job>;
  beforeAll(async () => {
    text = await readFile(path.join(packageRoot, '.github/workflows/publish.yml'), 'utf8');
    ({ jobs } = parse(text) as { jobs: Record<string, Job> });
  });
  const runsOf = (name: string): string[] =>
    (jobs[name]?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));

  it('has no token of ours, and gives each job the rights that it needs alone', () => {
    expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
    expect(text).toContain('\npermissions:\n  contents: read\n');
    const rights = Object.entries(jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((right) => permissions[right] === 'write'),
    ]);
    expect(Object.fromEntries(rights)).toEqual({
      test: [],
      packages: ['id-token'],
      image: ['packages'],
      chart: ['packages'],
      site: ['pages', 'id-token'],
    });
  });

  it('publishes nothing before every test has passed, and Turnpike before what installs it', () => {
    const needed = Object.entries(jobs).map(([name, { needs }]) => [name, needs]);
    expect(Object.fromEntries(needed)).toEqual({
      test: undefined,
      packages: 'test',
      image: 'test',
      chart: 'image',
      site: 'test',
    });
    expect(runsOf('test')).toEqual([
      'node scripts/check-release.mjs "$GITHUB_REF_NAME"',
      'npm run test:release',
    ]);
    const published = jobs['packages']?.steps.filter(({ run }) => run?.startsWith('npm publish'));
    expect(published).toEqual([
      expect.not.objectContaining({ 'working-directory': expect.anything() }),
      { run: 'npm publish --provenance', 'working-directory': 'packages/create-turnpike' },
    ]);
  });

  it('runs scripts that exist, and makes an image for two platforms that says what is in it', () => {
    const scripts = Object.keys(jobs).flatMap((name) =>
      runsOf(name).flatMap((run) => /npm run (\S+)/.exec(run)?.[1] ?? []),
    );
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const builds = jobs['image']?.steps.filter(({ uses }) => uses?.startsWith('docker/build-push'));
    // A first one is tried, and stays on the machine.
    expect(builds?.map((build) => build.with)).toEqual([
      expect.not.objectContaining({ push: true }),
      expect.objectContaining({
        platforms: 'linux/amd64,linux/arm64',
        push: true,
        sbom: true,
        provenance: 'mode=max',
      }),
    ]);
  });
});

describe('the packages that it brings', () => {
  it('run no script: those that would are known, and off', () => {
    const withScript = Object.entries(lockedPackages).filter(
      ([, { hasInstallScript }]) => hasInstallScript === true,
    );
    const names = withScript.map(([folder]) => folder.replace(/^.*node_modules\//, ''));
    // A new one: see whether it works without, add it with `false`, or choose another package.
    const off = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => !isAllowed);
    expect(names.sort()).toEqual(off.map(([name]) => name).sort());
  });

  it('are few, and none of them would run one, where the package is installed', () => {
    const { dependencies } = publishedManifest(manifest);
    const brought = closure(Object.keys(dependencies));
    expect(brought.filter((folder) => lockedPackages[folder]?.hasInstallScript === true)).toEqual(
      [],
    );
    // Each is a download, and code that its users have to trust.
    expect(brought.length).toBeLessThanOrEqual(60);
  });
});

/** The folders of packages, and of all that they depend on, without what is for another platform. */
function closure(names: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (from: string, name: string): void => {
    const folder = findFolder(from, name);
    if (folder === undefined || found.has(folder)) return;
    const { dependencies = {}, optionalDependencies = {}, os, cpu } = lockedPackages[folder] ?? {};
    if (os?.includes(process.platform) === false || cpu?.includes(process.arch) === false) return;
    found.add(folder);
    const all = Object.keys({ ...dependencies, ...optionalDependencies });
    for (const dependency of all) visit(folder, dependency);
  };
  for (const name of names) visit('', name);
  return [...found];
}

/** The folder in which a package finds another: its own `node_modules`, or one above. */
function findFolder(from: string, name: string): string | undefined {
  const folder = [from, 'node_modules', name].filter((part) => part !== '').join('/');
  if (folder in lockedPackages) return folder;
  if (from === '') return undefined;
  return findFolder(from.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, ''), name);
}

/** Whether a name is that of a different package, or a path. */
function isOther(name: string): boolean {
  return /^[.@]/.test(name) || `node_modules/${name}` in lockedPackages;
}

/** The texts of a file, or of a folder's files; paths from the root. */
async function readTexts(place: string): Promise<{ file: string; text: string }[]> {
  const entries = place.endsWith('.md')
    ? [place]
    : (await readdir(path.join(packageRoot, place), { recursive: true }))
        .filter((name) => /\.(md|m?[jt]sx?|html)$/.test(name) && !name.includes('node_modules'))
        .map((name) => path.join(place, name));
  return Promise.all(
    entries.map(async (file) => ({
      file,
      text: await readFile(path.join(packageRoot, file), 'utf8'),
    })),
  );
}
