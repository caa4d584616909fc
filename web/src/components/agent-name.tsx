import { useAgentTitles } from '../api/queries.js';

/** An agent by its title; its name, which requests take, shows on hover. */
export function AgentName({ name }: { name: string }) {
  const title = useAgentTitles()(name);
  return <span title={title === name ? undefined : name}>{title}</span>;
}
