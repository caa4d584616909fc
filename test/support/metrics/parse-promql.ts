import { parser } from '@prometheus-io/lezer-promql';

/** What an expression names. */
export interface NamedSeries {
  metrics: string[];
  /** Labels that it selects, groups or matches by. */
  labels: string[];
}

/** Parses an expression of Prometheus. @throws Error where it is none. */
export function parsePromql(expression: string): NamedSeries {
  const named: NamedSeries = { metrics: [], labels: [] };
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`Not PromQL at ${from}: ${expression}`);
      if (name === 'Identifier') named.metrics.push(text);
      if (name === 'LabelName') named.labels.push(text);
    },
  });
  return named;
}
