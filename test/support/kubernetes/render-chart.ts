import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findHelm } from './find-helm.js';
import type { Kind, KubernetesObjects } from './kubernetes-objects.js';
import { newFolder } from '../suite.js';

export const chart = fileURLToPath(new URL('../../../deploy/helm/turnpike/', import.meta.url));

/** Objects of a chart, as Helm would send them. */
export class RenderedChart {
  constructor(readonly objects: readonly KubernetesObjects[Kind][]) {}

  all<K extends Kind>(kind: K): KubernetesObjects[K][] {
    return this.objects.filter(
      (object): object is KubernetesObjects[K] & KubernetesObjects[Kind] => object.kind === kind,
    );
  }

  one<K extends Kind>(kind: K, name: string): KubernetesObjects[K] {
    const found = this.all(kind).find((object) => object.metadata?.name === name);
    if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
    return found;
  }
}

/** Renders the chart for a release `turnpike` in the namespace `agents`. @throws Error with Helm's words. */
export async function renderChart(values: object): Promise<RenderedChart> {
  const folder = newFolder();
  const file = path.join(folder, 'values.json');
  await writeFile(file, JSON.stringify(values));
  const given = ['template', 'turnpike', chart, '--namespace', 'agents', '--values', file];
  const { stdout } = await promisify(execFile)(await findHelm(), given, { cwd: folder });
  const documents = parseAllDocuments(stdout, { uniqueKeys: true });
  const faults = documents.flatMap(({ errors }) => errors);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const objects = documents.map((document): unknown => document.toJS());
  return new RenderedChart(
    objects.filter((object): object is KubernetesObjects[Kind] => object !== null),
  );
}
