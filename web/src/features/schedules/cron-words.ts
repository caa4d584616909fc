import cronstrue from 'cronstrue';

/** A cron expression in words: “At 09:00, Monday through Friday”; undefined for what is none. Pure. */
export function cronWords(cron: string): string | undefined {
  if (cron.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    // The library throws a text for what it cannot read.
    return undefined;
  }
}
