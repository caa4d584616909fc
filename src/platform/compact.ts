/** The object type without the keys whose only value is undefined, and with the others optional. */
type Compact<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** A copy without the keys whose value is undefined, for types that tell "absent" from "undefined". */
export function compact<T extends object>(given: T): Compact<T> {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  // The keys left out are exactly those that `Compact` makes optional.
  return Object.fromEntries(entries) as Compact<T>;
}
