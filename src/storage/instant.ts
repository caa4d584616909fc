import { timestamp } from 'drizzle-orm/pg-core';

/** A column of timestamps with a time zone, as `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
