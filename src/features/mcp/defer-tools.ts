import type { Config } from '../../config/config.js';
import { estimateTools, type Model } from '../../provider/face.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { serverOf } from '../../tools/face.js';

export interface DeferQuestion {
  terms: Pick<Config, 'toolSearch' | 'toolSearchAbove' | 'toolSearchPercent'>;
  model: Pick<Model, 'contextWindow' | 'tokenScale'>;
  /** MCP tools whose definitions say that they are not deferred. */
  kept: ReadonlySet<string>;
}

/**
 * The tools of a new prefix: those of MCP servers are deferred where there are many, or where they fill much of the
 * model's window. Pure.
 */
export function deferTools(
  tools: readonly ToolSpec[],
  { terms, model, kept }: DeferQuestion,
): ToolSpec[] {
  const mayDefer = ({ name }: ToolSpec): boolean => serverOf(name) !== undefined && !kept.has(name);
  const many = tools.filter(mayDefer);
  const isShort =
    many.length <= terms.toolSearchAbove &&
    estimateTools(many, model) <= (model.contextWindow * terms.toolSearchPercent) / 100;
  if (terms.toolSearch === 'off' || many.length === 0 || isShort) return [...tools];
  return tools.map((tool) => (mayDefer(tool) ? { ...tool, deferred: true } : tool));
}

/** The servers of deferred tools, each once. Pure. */
export function searchedServers(tools: readonly ToolSpec[]): string[] {
  const names = tools.flatMap(({ name, deferred }) =>
    deferred === true ? [serverOf(name) ?? ''] : [],
  );
  return [...new Set(names)];
}
