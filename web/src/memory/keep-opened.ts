/**
 * A list with the item that is open, also where that is not listed any more: what is typed into it stays. Pure.
 *
 * @param nameOf what an item is known by.
 */
export function keepOpened<T>(
  listed: readonly T[],
  opened: T | undefined,
  nameOf: (item: T) => string,
): readonly T[] {
  if (opened === undefined || listed.some((item) => nameOf(item) === nameOf(opened))) return listed;
  return [...listed, opened];
}
