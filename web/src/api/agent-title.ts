/**
 * What people read in place of an agent's name: its title. A server with one agent runs it where the default is asked for
 * and is not there. An agent that is not listed keeps its name. Pure.
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
