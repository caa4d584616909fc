import { timestamp, customType } from 'drizzle-orm/pg-core';

/** A column of timestamps with a time zone, as `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/**
 * A string in a `json` column. The query builder's own column would parse a string that is JSON
 * itself: a tool's output would come back as an object.
 */
export const jsonString = customType<{ data: string; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
});
