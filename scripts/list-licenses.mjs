import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Files with the terms of a package. */
const termsOf = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * A plugin that writes the licences of all packages whose code is in the bundle: most of them require that their
 * text goes with each copy.
 *
 * @param {string} fileName of the list, beside the bundle.
 * @param {string[]} [copied] folders of packages that are copied beside the bundle.
 * @returns {import('rolldown').Plugin}
 */
export function listLicenses(fileName, copied = []) {
  return {
    name: 'list-licenses',
    async generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : [],
      );
      const folders = new Set([
        ...copied,
        ...modules.map(packageFolder).filter((folder) => folder !== undefined),
      ]);
      const entries = await Promise.all([...folders].map(describePackage));
      const source = entries.sort().join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** The folder of the package that a module is of. */
function packageFolder(module) {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(module)?.[0].replace(/^\0/, '');
}

async function describePackage(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) => termsOf.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [`${name} ${version}: ${license}\n`, ...texts].join('\n');
}
