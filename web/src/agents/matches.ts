/** Whether a name or a description has the words of a filter. Pure. */
export function matches(
  filter: string,
  { name, description }: { name: string; description: string | null },
): boolean {
  return `${name} ${description ?? ''}`.toLowerCase().includes(filter.trim().toLowerCase());
}
