import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { RenderedChart } from './render-chart.js';

/** A pod as a Deployment or a Job makes it. */
export interface Pod {
  /** `api` or `worker`; undefined: the migrations'. */
  component: string | undefined;
  labels: Readonly<Record<string, string>>;
  spec: IPodSpec;
}

/** The pods of a chart: the API's, the worker's, then the migrations'. */
export function podsOf(rendered: RenderedChart): Pod[] {
  const makers = [...rendered.all('Deployment'), ...rendered.all('Job')];
  return makers.map(({ metadata, spec }) => {
    const template = spec?.template;
    if (template?.spec === undefined) throw new Error(`${metadata?.name} makes no pod`);
    const labels = template.metadata?.labels ?? {};
    return { component: labels['app.kubernetes.io/component'], labels, spec: template.spec };
  });
}

/** Variables of a container; those of a Secret have the given values, or none. */
export function environmentOf(
  container: IContainer | undefined,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    (container?.env ?? []).flatMap(({ name, value, valueFrom }) => {
      const known = value ?? secrets[valueFrom?.secretKeyRef?.key ?? ''];
      return known === undefined ? [] : [[name, known]];
    }),
  );
}
