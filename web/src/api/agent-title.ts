/**
 * An agent's title, which people read in place of its name. A server with one agent runs it where the default is not
 * there: then the title is that of the one. An agent that is not listed keeps its name. Pure.
 *
 * @param standard the name of the default; undefined: it is not known.
 */
export function agentTitle(
  name: string,
  agents: readonly { name: string; title: string | null }[],
  standard: string | undefined,
): string {
  const only = name === standard && agents.length === 1 ? agents[0] : undefined;
  const agent = agents.find((one) => one.name === name) ?? only;
  return agent?.title ?? agent?.name ?? name;
}
